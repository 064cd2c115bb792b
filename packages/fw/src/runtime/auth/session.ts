import type { AccessToken, CreatedToken } from "../../declare/token.ts";
import type { User } from "../../declare/user.ts";

/** Who a session speaks for, as it is kept: what a User says, without its method. */
export type Identity = Omit<User, "hasRole">;

/** A live session. */
export interface Session {
  readonly identity: Identity;
  /** What its forms' tokens must equal: 32 bytes in base64url, decoded where a form asks for them. */
  readonly csrf: string;
  /** Where an access token speaks, and no browser: the names of the roles that it carries at most. */
  readonly token?: { readonly roles?: readonly string[] };
}

/** A session that was just made. */
export interface NewSession extends Session {
  /** What the browser's cookie holds: 256 random bits in base64url. Only its hash is kept. */
  readonly id: string;
}

/** A live session as an operator sees it. */
export interface OpenSession {
  readonly provider: Identity["provider"];
  /** When somebody signed in. */
  readonly began: Date;
  readonly ends: Date;
}

/** What an access token is made of. */
export interface TokenParts {
  readonly name: string;
  /** Milliseconds; undefined for one that does not end by itself. */
  readonly lifetime: number | undefined;
  /** The names of the roles that it carries at most. */
  readonly roles: readonly string[] | undefined;
}

/** The sessions of an application and its access tokens, kept as documents. */
export interface Sessions {
  /**
   * The live session of a cookie or of an access token, or undefined: unknown, expired, ended, or of an account that is gone or
   * disabled. One read of one document, without a promise where the store answers at once; a session that was marked stale is
   * refreshed from its account first.
   */
  find(id: string): Promise<Session | undefined> | Session | undefined;
  /**
   * Makes a session for an account, for 7 days, with its name, address and roles as they are now; undefined when the account is
   * gone or disabled. A role, a disabling or a deletion that comes meanwhile is not missed.
   */
  create(accountId: string, provider: Identity["provider"]): Promise<NewSession | undefined>;
  /** Ends a session; does nothing when it has ended. */
  end(id: string): Promise<void>;
  /** The live sessions of the account, the newest first. */
  list(accountId: string): Promise<readonly OpenSession[]>;
  /** Makes an access token for an account; undefined when the account is gone or disabled. Nothing that comes meanwhile is missed, either. */
  createToken(accountId: string, provider: Identity["provider"], token: TokenParts): Promise<CreatedToken | undefined>;
  /** The live access tokens of the account, the newest first. */
  tokens(accountId: string): Promise<readonly AccessToken[]>;
  /** Ends an access token of the account; false where it has none of that id. */
  endToken(accountId: string, id: string): Promise<boolean>;
  /** Makes every session and token of the account read it again at its next request. */
  markStale(accountId: string): Promise<void>;
  /** Ends every session of the account, and no token; one that is being made reads the account again. */
  signOut(accountId: string): Promise<void>;
  /** Ends every session and token of the account; one that is being made reads the account again. */
  endAll(accountId: string): Promise<void>;
}
