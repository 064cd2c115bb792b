import { hash, randomBytes } from "node:crypto";
import type { AccessToken, CreatedToken } from "../../declare/token.ts";
import { sessionMs } from "../../lib/limits.ts";
import { isPromise } from "../../lib/promise.ts";
import type { Document, Key, Platform } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { accessTokenPrefix, isAccessToken } from "../access/bearer.ts";
import { sessionKind } from "./kinds.ts";
import {
  sessionFields,
  sessionOf,
  type KeptToken,
  type SessionFields,
  type SpeakingToken,
} from "./session-document.ts";
import { changedAccounts, changeSessions, eachSession, liveSession, markOf, markSession } from "./stale-sessions.ts";
import { type Identity, identityOf } from "./user.ts";

/** A live session. */
export interface Session {
  readonly identity: Identity;
  /** What its forms' tokens must equal: 32 bytes in base64url, decoded where a form asks for them. */
  readonly csrf: string;
  /** The access token that speaks, if no browser does. */
  readonly token?: SpeakingToken;
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
  /** The token that asks for this one: this one ends with it. */
  readonly parent?: SpeakingToken | undefined;
}

/** The sessions of an application and its access tokens, as documents of a platform whose kinds include `authKinds`. */
export class Sessions {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * The live session of a cookie or of an access token, or undefined: unknown, expired, ended, or of an account that is gone or
   * disabled. One read of one document, without a promise where the store answers at once; a session that was marked stale is
   * refreshed from its account first.
   */
  find(id: string): Promise<Session | undefined> | Session | undefined {
    if (!isSessionId(id) && !isAccessToken(id)) return undefined;
    const key = keyOf(id);
    const { entities } = this.#platform;
    const found = entities.getNow === undefined ? entities.get(key) : entities.getNow(key);
    if (isPromise(found)) return found.then((document) => this.#live(key, document));
    return this.#live(key, found);
  }

  /** A token that another token asked for is live only as long as that one is, also on another account. */
  #live(key: Key, document: Document | undefined): Promise<Session | undefined> | Session | undefined {
    const ancestors = (document?.fields as SessionFields | undefined)?.token?.ancestors;
    if (ancestors === undefined) return liveSession(this.#platform, key, document);
    return this.#areLive(ancestors).then((live) => (live ? liveSession(this.#platform, key, document) : undefined));
  }

  async #areLive(ids: readonly string[]): Promise<boolean> {
    const keys = ids.map((id) => ({ kind: sessionKind, id }));
    const documents = await this.#platform.entities.getMany(keys);
    for (const [i, key] of keys.entries())
      if ((await liveSession(this.#platform, key, documents[i])) === undefined) return false;
    return true;
  }

  /**
   * Makes a session for an account, for 7 days, with its name, address and roles as they are now; undefined when the account is
   * gone or disabled. A role, a disabling or a deletion that comes meanwhile is not missed.
   */
  async create(accountId: string, provider: Identity["provider"]): Promise<NewSession | undefined> {
    const id = random();
    const expires = new Date(this.#platform.clock.now() + sessionMs);
    const session = await this.#insert(accountId, provider, { id, expires });
    return session && { id, ...session };
  }

  /** Makes an access token for an account; undefined when the account is gone or disabled. Nothing that comes meanwhile is missed, either. */
  async createToken(
    accountId: string,
    provider: Identity["provider"],
    { name, lifetime, roles, parent }: TokenParts,
  ): Promise<CreatedToken | undefined> {
    const secret = `${accessTokenPrefix}${random()}`;
    const now = this.#platform.clock.now();
    const ends = Math.min(lifetime === undefined ? Infinity : now + lifetime, parent?.expires?.getTime() ?? Infinity);
    const expires = ends === Infinity ? undefined : new Date(ends);
    const ancestors = parent?.lineage ?? [];
    const descent = ancestors.length > 0 && { ancestors };
    const token = { name, created: new Date(now), ...(roles && { roles }), ...descent };
    const session = await this.#insert(accountId, provider, { id: secret, expires, token });
    return session && { ...openToken(keyOf(secret).id, token, expires), secret };
  }

  /** The live access tokens of the account, the newest first. */
  async tokens(accountId: string): Promise<readonly AccessToken[]> {
    const open: AccessToken[] = [];
    await eachSession(this.#platform, accountId, async ({ id, fields, expires }) => {
      const { token } = fields as SessionFields;
      if (token === undefined || (token.ancestors && !(await this.#areLive(token.ancestors)))) return;
      open.push(openToken(id, token, expires));
    });
    return open.toSorted((a, b) => b.created.getTime() - a.created.getTime());
  }

  /** Ends an access token of the account, and with it those that it asked for; false where it has none of that id. */
  async endToken(accountId: string, id: string): Promise<boolean> {
    let parent: string | undefined;
    await changeSessions(this.#platform, accountId, async (document) => {
      const { token } = document.fields as SessionFields;
      if (token === undefined || tokenId(document.id) !== id) return;
      await this.#platform.entities.delete({ kind: sessionKind, id: document.id });
      parent = document.id;
    });
    if (parent === undefined) return false;
    await this.#endDescendants(accountId, parent);
    return true;
  }

  /** Removes what is of no use any more: without their ancestor they are dead, those of other accounts too. */
  async #endDescendants(accountId: string, ancestor: string): Promise<void> {
    await eachSession(this.#platform, accountId, async ({ id, fields }) => {
      const { token } = fields as SessionFields;
      if (token?.ancestors?.includes(ancestor)) await this.#platform.entities.delete({ kind: sessionKind, id });
    });
  }

  /** Ends a session; does nothing when it has ended. */
  async end(id: string): Promise<void> {
    if (isSessionId(id)) await this.#platform.entities.delete(keyOf(id));
  }

  /** The live sessions of the account, the newest first. */
  async list(accountId: string): Promise<readonly OpenSession[]> {
    const open: OpenSession[] = [];
    await eachSession(this.#platform, accountId, async ({ fields, expires }) => {
      const ends = expires ?? new Date(this.#platform.clock.now() + sessionMs);
      const { provider, token } = fields as SessionFields;
      if (token !== undefined) return;
      open.push({ provider, began: new Date(ends.getTime() - sessionMs), ends });
    });
    return open.toSorted((a, b) => b.ends.getTime() - a.ends.getTime());
  }

  /** Makes every session and token of the account read it again at its next request. */
  async markStale(accountId: string): Promise<void> {
    await changeSessions(this.#platform, accountId, (document) => markSession(this.#platform, document));
  }

  /** The ids of the accounts whose sessions and tokens were changed in the last minute. */
  changedAccounts(): Promise<ReadonlySet<string>> {
    return changedAccounts(this.#platform);
  }

  /** Ends every session of the account, and no token; one that is being made reads the account again. */
  signOut(accountId: string): Promise<void> {
    return this.#end(accountId, ({ token }) => token === undefined);
  }

  /** Ends every session and token of the account; one that is being made reads the account again. */
  endAll(accountId: string): Promise<void> {
    return this.#end(accountId, () => true);
  }

  async #end(accountId: string, isMeant: (fields: SessionFields) => boolean): Promise<void> {
    await changeSessions(this.#platform, accountId, async ({ id, fields }) => {
      if (isMeant(fields as SessionFields)) await this.#platform.entities.delete({ kind: sessionKind, id });
    });
  }

  /** Keeps a session or a token of an account as it is now; undefined when it is gone or disabled. */
  #insert(
    accountId: string,
    provider: Identity["provider"],
    { id, expires, token }: { readonly id: string; readonly expires: Date | undefined; readonly token?: KeptToken },
  ): Promise<Session | undefined> {
    const csrf = random();
    return transact(this.#platform, async (transaction) => {
      // Whoever changes the account writes the mark afterwards: then this commit fails, and the account is read again.
      await transaction.get(markOf(accountId));
      const account = await this.#platform.accounts.get(accountId);
      if (account === undefined || account.disabled) return undefined;
      const fields = sessionFields(identityOf(account, provider), { csrf, ...(token && { token }) });
      transaction.insert(keyOf(id), fields, expires && { expires });
      return sessionOf(fields, { id: keyOf(id).id, expires });
    });
  }
}

/** What a token is revoked by: too little of its hash to look it up, and too much to be another's. */
function tokenId(hash: string): string {
  return hash.slice(0, 24);
}

function openToken(hash: string, { name, created, roles }: KeptToken, expires: Date | undefined): AccessToken {
  return {
    id: tokenId(hash),
    name,
    created,
    ...(expires && { expires }),
    ...(roles && { roles: [...roles] }),
  };
}

/** 256 bits in base64url. */
function random(): string {
  return randomBytes(32).toString("base64url");
}

function isSessionId(id: string): boolean {
  return /^[\w-]{43}$/.test(id);
}

/** Where the session of a cookie is kept. Who reads the store does not learn the id. */
function keyOf(id: string): Key {
  return { kind: sessionKind, id: hash("sha256", id, "hex") };
}
