/** A JSON value of a claim. */
export type Claim = string | number | boolean | null | readonly Claim[] | { readonly [name: string]: Claim };

/** What an application says about an account. fw keeps `roles`, a list of names; every other claim is left alone. */
export interface Claims {
  readonly [name: string]: Claim;
}

/** An account: somebody who may sign in. */
export interface Account {
  readonly id: string;
  readonly email: string;
  /** "" where none was given. */
  readonly name: string;
  readonly emailVerified: boolean;
  readonly disabled: boolean;
  /** Whether it can sign in with a password. */
  readonly hasPassword: boolean;
  readonly claims: Claims;
  readonly created: Date;
}

/** What an account is made of. */
export interface AccountFields extends Pick<Account, "email" | "name" | "emailVerified" | "claims"> {
  /** Only a verifier of it is kept. Absent for an account that signs in elsewhere. */
  readonly password?: string;
  /** Given where the id has a meaning, as those of test users have; otherwise the platform makes one. */
  readonly id?: string;
}

/** Some accounts, and where the next ones begin. */
export interface AccountPage {
  readonly accounts: readonly Account[];
  /** Absent on the last page. Opaque; altered, it fails with `cursor`. */
  readonly next?: string;
}

/** What an ID token says once it is verified. */
export interface VerifiedToken {
  readonly account: Account;
  /** How the person signed in there: `social`, `email`, or another name that no application can declare. */
  readonly provider: string;
}

/**
 * The accounts of the people who sign in: locally in the store, in the cloud those of the identity provider. Addresses are
 * compared without regard to case. Each write is durable when its promise resolves.
 */
export interface Accounts {
  /**
   * Fails with `exists` when the address (or the id) has an account, with `document` when it is no address, with `busy` where
   * too many passwords wait.
   */
  create(fields: AccountFields): Promise<Account>;
  get(id: string): Promise<Account | undefined>;
  byEmail(email: string): Promise<Account | undefined>;
  /** In a stable order, 1 to 1,000 a page; "" starts at the beginning. */
  list(limit: number, cursor: string): Promise<AccountPage>;
  /** Replaces all claims; fails with `missing` when there is no account, with `document` when they are too large to keep. */
  setClaims(id: string, claims: Claims): Promise<Account>;
  /** Fails with `missing` when there is no account. */
  setDisabled(id: string, disabled: boolean): Promise<Account>;
  /** Deletes the account for good; fails with `missing` when there is none. */
  delete(id: string): Promise<void>;
  /**
   * The enabled account of this address and password, or undefined: a wrong password, an unknown address and a disabled
   * account take the same time and say the same. Fails with `busy` where too many passwords wait, whatever the account. Absent
   * where the service never sees passwords.
   */
  checkPassword?(email: string, password: string): Promise<Account | undefined>;
  /**
   * The account of a test user, made when it is not there, with these roles where some are given. Absent where the service makes it
   * itself, and where nobody signs in without a credential.
   */
  testUser?(name: string, roles: readonly string[] | undefined): Promise<Account | undefined>;
  /** What an ID token says, or why it did not verify. A disabled account's does not verify. */
  verifyToken(token: string): Promise<VerifiedToken | { readonly refused: string }>;
}
