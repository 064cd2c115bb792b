export type Claim = string | number | boolean | null | readonly Claim[] | { readonly [name: string]: Claim };

/** An application's data about an account. fw maintains the claim `roles` and never changes others. */
export interface Claims {
  readonly [name: string]: Claim;
}

/** The account of a user who can sign in. */
export interface Account {
  readonly id: string;
  readonly email: string;
  /** "" if the user has no name. */
  readonly name: string;
  readonly emailVerified: boolean;
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  /** Changes with the password. Absent if the account has no password or the service never sees passwords. */
  readonly passwordVersion?: string;
  readonly claims: Claims;
  readonly created: Date;
}

export interface AccountFields extends Pick<Account, "email" | "name" | "emailVerified" | "claims"> {
  /** Only a hash is stored. Absent for accounts that sign in elsewhere. */
  readonly password?: string;
  /** A predetermined id, such as a test user's. By default, the platform generates one. */
  readonly id?: string;
}

/** Changes to an account; absent fields stay as they are. */
export interface AccountChange {
  readonly password?: string;
  readonly emailVerified?: boolean;
}

export interface AccountPage {
  readonly accounts: readonly Account[];
  /** Absent on the last page. Opaque; an altered cursor fails with `cursor`. */
  readonly next?: string;
}

export interface VerifiedToken {
  readonly account: Account;
  /**
   * The sign-in method: `social`, `email`, or the identity provider's own name for a method that `Auth` cannot enable.
   */
  readonly provider: string;
}

/**
 * User accounts, in the application's own store or at the cloud's identity provider. Email addresses compare
 * case-insensitively. Each write is durable when its promise resolves.
 */
export interface Accounts {
  /**
   * Throws a PlatformError `exists` if the address or ID already has an account, `document` if a field is invalid, and
   * `busy` if too many passwords wait to be hashed.
   */
  create(fields: AccountFields): Promise<Account>;
  get(id: string): Promise<Account | undefined>;
  byEmail(email: string): Promise<Account | undefined>;
  /** Returns up to `limit` accounts, 1 to 1,000, in a stable order; the cursor "" returns the first page. */
  list(limit: number, cursor: string): Promise<AccountPage>;
  /** Replaces all claims; fails with `missing` if no account has the id, and with `document` if they are too large. */
  setClaims(id: string, claims: Claims): Promise<Account>;
  /** Throws a PlatformError `missing` if there is no account. */
  setDisabled(id: string, disabled: boolean): Promise<Account>;
  /**
   * Sets a password or whether the address is verified. Throws a PlatformError `missing` if there is no account,
   * `document` if the password is invalid, and `busy` like `create`. Absent if the service never sees passwords.
   */
  change?(id: string, change: AccountChange): Promise<Account>;
  /** Deletes the account permanently. Throws a PlatformError `missing` if there is none. */
  delete(id: string): Promise<void>;
  /**
   * Returns the enabled account with this address and password. A wrong password, an unknown address and a disabled
   * account all take the same time and return undefined. Throws a PlatformError `busy` if too many passwords, of all
   * accounts together, wait to be checked. Absent if the service never sees passwords.
   */
  checkPassword?(email: string, password: string): Promise<Account | undefined>;
  /**
   * Returns the account of a test user; undefined if there is no test user with this name. Creates the account if
   * needed, and sets its roles if `roles` is present. Absent if the service creates test users itself or has none.
   */
  testUser?(name: string, roles: readonly string[] | undefined): Promise<Account | undefined>;
  /** Returns the token's content, or the reason why it is invalid. A disabled account's token is invalid. */
  verifyToken(token: string): Promise<VerifiedToken | { readonly refused: string }>;
}
