import { checkLimit } from "../../query-plan.ts";
import { identityClaimsCharacters } from "../../../lib/limits.ts";
import { openListCursor, sealListCursor } from "../../account-cursor.ts";
import { checkAccountFields, checkClaims, claimsTooLarge } from "../../account-fields.ts";
import type { Account, AccountFields, AccountPage, Accounts, Claims, VerifiedToken } from "../../accounts.ts";
import { closedError, isPlatformError, PlatformError, type PlatformErrorCode } from "../../errors.ts";
import type { CloudClient, CloudRequest } from "../rest/client.ts";
import type { Methods, GoogleCloudIdentitytoolkitV1UserInfo } from "../rest/generated/identitytoolkit.ts";
import type { IdTokens } from "./id-token.ts";
import type { WithFields } from "../rest/with-fields.ts";
import { CloudError } from "../rest/cloud-error.ts";

/** Maps Identity Platform's error codes to platform errors. */
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

interface AccountParts {
  readonly client: CloudClient;
  readonly project: string;
  readonly tokens: IdTokens;
  /** Returns the key that seals the cursors of `list`; it is the same in every instance. */
  readonly cursorKey: () => Promise<Uint8Array>;
}

/**
 * Accounts in Identity Platform, which stores addresses in lower case. It stores an account's claims as one string, so
 * writers must hold the account's lease.
 */
export class CloudAccounts implements Accounts {
  readonly #parts: AccountParts;
  #closed = false;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  /** Sends the claims in a second request, because Identity Platform accepts them only in an update. */
  async create(fields: AccountFields): Promise<Account> {
    checkAccountFields(fields);
    const customAttributes = claimsText(fields.claims);
    const { id, email, name, emailVerified, password } = fields;
    const { localId = "" } = await this.#call("accounts", {
      ...(id !== undefined && { localId: id }),
      email,
      emailVerified,
      ...(name !== "" && { displayName: name }),
      ...(password !== undefined && { password }),
    });
    if (customAttributes !== "{}") await this.#change(localId, { customAttributes });
    return accountOf(await this.#present(localId));
  }

  async get(id: string): Promise<Account | undefined> {
    const user = await this.#find({ localId: [id] });
    return user && accountOf(user);
  }

  async byEmail(email: string): Promise<Account | undefined> {
    const user = email === "" ? undefined : await this.#find({ email: [email.toLowerCase()] });
    return user && accountOf(user);
  }

  async list(limit: number, cursor: string): Promise<AccountPage> {
    checkLimit(limit, "accounts");
    this.#refuseIfClosed();
    const key = await this.#parts.cursorKey();
    const position = openListCursor(key, cursor);
    const page = await this.#request<Methods["batchGet"]["answer"]>({
      method: "GET",
      path: this.#path(":batchGet"),
      query: { maxResults: limit, nextPageToken: position?.toString() },
    });
    const accounts = ((page.users ?? []) as readonly IdentityUser[]).map(accountOf);
    if (page.nextPageToken === undefined || page.nextPageToken === "" || accounts.length < limit) return { accounts };
    return { accounts, next: sealListCursor(key, page.nextPageToken) };
  }

  async setClaims(id: string, claims: Claims): Promise<Account> {
    await this.#change(id, { customAttributes: claimsText(claims) });
    return { ...accountOf(await this.#present(id)), claims };
  }

  async setDisabled(id: string, disabled: boolean): Promise<Account> {
    await this.#change(id, { disableUser: disabled });
    return { ...accountOf(await this.#present(id)), disabled };
  }

  /** Succeeds for both of two concurrent deletes. */
  async delete(id: string): Promise<void> {
    await this.#present(id);
    try {
      await this.#call("delete", { localId: id }, true);
    } catch (error) {
      if (!isPlatformError(error, "missing")) throw error;
    }
  }

  async verifyToken(token: string): Promise<VerifiedToken | { readonly refused: string }> {
    this.#refuseIfClosed();
    const claims = await this.#parts.tokens.read(token);
    if ("refused" in claims) return claims;
    const user = await this.#find({ localId: [claims.sub] });
    if (user === undefined) return { refused: "its account does not exist" };
    if (user.disabled) return { refused: "its account is disabled" };
    if (claims.signedIn < Number(user.validSince ?? 0)) return { refused: "it was revoked" };
    return { account: accountOf(user), provider: claims.provider };
  }

  close(): void {
    this.#closed = true;
  }

  async #change(localId: string, change: Methods["update"]["request"]): Promise<void> {
    await this.#call("update", { localId, ...change }, true);
  }

  async #present(id: string): Promise<IdentityUser> {
    const user = await this.#find({ localId: [id] });
    if (user === undefined) throw new PlatformError("missing", `there is no account with the id ${JSON.stringify(id)}`);
    return user;
  }

  async #find(by: Methods["lookup"]["request"]): Promise<IdentityUser | undefined> {
    const { users = [] } = await this.#call("lookup", by, true);
    return users[0] as IdentityUser | undefined;
  }

  #call<Name extends keyof Methods>(
    name: Name,
    body: Methods[Name]["request"],
    repeatable = false,
  ): Promise<Methods[Name]["answer"]> {
    const path = this.#path(name === "accounts" ? "" : `:${name}`);
    return this.#request({ method: "POST", path, body, repeatable });
  }

  async #request<Answer>(request: Omit<CloudRequest, "api">): Promise<Answer> {
    this.#refuseIfClosed();
    try {
      return await this.#parts.client.call<Answer>({ api: "identitytoolkit", ...request });
    } catch (error) {
      throw identityError(error);
    }
  }

  #path(what: string): string {
    return `/v1/projects/${this.#parts.project}/accounts${what}`;
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw closedError();
  }
}

/**
 * Returns the claims as JSON; throws if they are too large. Limits bytes although Identity Platform counts characters:
 * a string never has more characters than bytes.
 */
function claimsText(claims: Claims): string {
  checkClaims(claims, identityClaimsCharacters);
  return JSON.stringify(claims);
}

/**
 * An account as Identity Platform returns it. `customAttributes` is JSON, `createdAt` is in milliseconds, `validSince`
 * in seconds.
 */
type IdentityUser = WithFields<GoogleCloudIdentitytoolkitV1UserInfo, "localId">;

function accountOf(user: IdentityUser): Account {
  const { localId, email = "", displayName = "", emailVerified = false, disabled = false } = user;
  const hasPassword = user.providerUserInfo?.some(({ providerId }) => providerId === "password") ?? false;
  return {
    id: localId,
    email,
    name: displayName,
    emailVerified,
    disabled,
    hasPassword,
    claims: claimsOf(user),
    created: new Date(Number(user.createdAt ?? 0)),
  };
}

/** Returns an account's claims; none if another tool has written something other than an object. */
function claimsOf({ customAttributes = "" }: IdentityUser): Claims {
  const claims: unknown = customAttributes === "" ? {} : JSON.parse(customAttributes);
  return typeof claims === "object" && claims !== null && !Array.isArray(claims) ? (claims as Claims) : {};
}

/** Converts an Identity Platform error to a platform error if callers can act on it. */
function identityError(error: unknown): unknown {
  if (!(error instanceof CloudError)) return error;
  const code = codeOf(error);
  const mapped = errors[code];
  return mapped === undefined ? error : new PlatformError(mapped[0], `${mapped[1]} (${code})`);
}

/** Returns the error code, such as `EMAIL_EXISTS` in `EMAIL_EXISTS : details`; "" if there is none. */
function codeOf({ serverMessage }: CloudError): string {
  return /^[A-Z_]+/.exec(serverMessage)?.[0] ?? "";
}
