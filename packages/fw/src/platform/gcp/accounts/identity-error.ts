import { identityClaimsCharacters } from "../../../lib/limits.ts";
import { claimsTooLarge } from "../../account-fields.ts";
import { PlatformError, type PlatformErrorCode } from "../../errors.ts";
import { CloudError } from "../rest/cloud-error.ts";

/** Error codes of Identity Platform as platform errors. */
const errors: Readonly<Record<string, readonly [code: PlatformErrorCode, message: string]>> = {
  EMAIL_EXISTS: ["exists", "this address already has an account"],
  DUPLICATE_EMAIL: ["exists", "this address already has an account"],
  DUPLICATE_LOCAL_ID: ["exists", "this id already has an account"],
  USER_NOT_FOUND: ["missing", "there is no such account"],
  INVALID_EMAIL: ["document", "the address of an account is not an email address"],
  INVALID_LOCAL_ID: ["document", "Identity Platform does not accept the account id"],
  CLAIMS_TOO_LARGE: ["document", claimsTooLarge(identityClaimsCharacters)],
  WEAK_PASSWORD: ["password", "Identity Platform rejects the password because it is too easy to guess"],
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: ["password", "the password violates the project's password policy"],
  INVALID_PAGE_SELECTION: ["cursor", "the cursor does not belong to this list; start from the first page"],
  CONFIGURATION_NOT_FOUND: ["denied", "Identity Platform is not set up in this project"],
};

/** Converts an error of Identity Platform to a platform error if callers can act on it. */
export function identityError(error: unknown): unknown {
  if (!(error instanceof CloudError)) return error;
  const code = codeOf(error);
  const mapped = errors[code];
  return mapped === undefined ? error : new PlatformError(mapped[0], `${mapped[1]} (${code})`);
}

/** Reads `EMAIL_EXISTS` from `EMAIL_EXISTS` or `EMAIL_EXISTS : details`. */
function codeOf({ serverMessage }: CloudError): string {
  return /^[A-Z_]+/.exec(serverMessage)?.[0] ?? "";
}
