import { identityClaimsCharacters } from "../../../lib/limits.ts";
import { claimsTooLarge } from "../../account-fields.ts";
import { PlatformError, type PlatformErrorCode } from "../../errors.ts";
import { CloudError } from "../rest/cloud-error.ts";

/** What Identity Platform says, and what it is for who asked. */
const errors: Readonly<Record<string, readonly [code: PlatformErrorCode, message: string]>> = {
  EMAIL_EXISTS: ["exists", "this address has an account"],
  DUPLICATE_EMAIL: ["exists", "this address has an account"],
  DUPLICATE_LOCAL_ID: ["exists", "this id has an account"],
  USER_NOT_FOUND: ["missing", "there is no such account"],
  INVALID_EMAIL: ["document", "the address of an account is not an email address"],
  INVALID_LOCAL_ID: ["document", "the id of an account is not one that Identity Platform takes"],
  CLAIMS_TOO_LARGE: ["document", claimsTooLarge(identityClaimsCharacters)],
  WEAK_PASSWORD: ["password", "Identity Platform does not take a password that is so easy to guess"],
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: ["password", "the password is not one that the project's policy allows"],
  INVALID_PAGE_SELECTION: ["cursor", "the cursor is not one of this list; start from the first page"],
  CONFIGURATION_NOT_FOUND: ["denied", "Identity Platform is not set up in this project"],
};

/** An answer of Identity Platform as the platform's own error, where it is one that callers act on. */
export function identityError(error: unknown): unknown {
  if (!(error instanceof CloudError)) return error;
  const code = codeOf(error);
  const known = errors[code];
  return known === undefined ? error : new PlatformError(known[0], `${known[1]} (${code})`);
}

/** `EMAIL_EXISTS`, of `EMAIL_EXISTS` and of `EMAIL_EXISTS : and why`. */
function codeOf({ said }: CloudError): string {
  return /^[A-Z_]+/.exec(said)?.[0] ?? "";
}
