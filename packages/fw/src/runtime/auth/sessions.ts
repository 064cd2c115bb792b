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
  type StoredToken,
  type SessionFields,
  type RequestToken,
} from "./session-document.ts";
import { changedAccounts, changeSessions, eachSession, liveSession, markKey, markSession } from "./stale-sessions.ts";
import { type Identity, identityOf } from "./user.ts";

export interface Session {
  readonly identity: Identity;
  /** The secret for its form tokens: 32 bytes in base64url, which are decoded when a form needs a token. */
  readonly csrf: string;
  /**
   * The request's access token. Also present, with an empty lineage, for other credentials that browsers do not send
   * automatically.
   */
  readonly token?: RequestToken;
  /** The id of its document, for browser sessions only. */
  readonly documentId?: string;
}

export interface NewSession extends Session {
  /** The value of the browser's cookie: 256 random bits in base64url, which are stored only as a hash. */
  readonly id: string;
}

/** A live session as an operator sees it. */
export interface OpenSession {
  /** The session's document id. Unlike the id in the cookie, it cannot authenticate a request. */
  readonly id: string;
  /** The first part of the browser's User-Agent header, if stored. */
  readonly agent?: string;
  readonly provider: Identity["provider"];
  readonly began: Date;
  readonly ends: Date;
}

export interface TokenParts {
  readonly name: string;
  /** In milliseconds; undefined if the token does not expire. */
  readonly lifetime: number | undefined;
  /** The names of the roles that limit the token. */
  readonly roles: readonly string[] | undefined;
  /** The token that creates this one. When it ends, this one ends, too. */
  readonly parent?: RequestToken | undefined;
  /** The document id of the browser session that creates the token; undefined if none does. */
  readonly creator?: string | undefined;
}

export interface SessionOptions {
  /** The password version that is required to create the session; undefined for any. */
  readonly passwordVersion?: string | undefined;
  /** The first part of the browser's User-Agent header, for the list of sessions. */
  readonly agent?: string | undefined;
}

interface NewDocument extends SessionOptions {
  readonly id: string;
  readonly expires: Date | undefined;
  readonly token?: StoredToken;
  /** The document of the session that creates a token. */
  readonly creator?: string | undefined;
}

/** The sessions and access tokens of an application, as documents of a platform whose kinds include `authKinds`. */
export class Sessions {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /**
   * Returns the live session of a cookie or access token; undefined if it is unknown, expired or ended, or if its
   * account is deleted or disabled. A stale session is first refreshed from its account. Returns a promise only if the
   * store is asynchronous, the session is stale, or a token has ancestors.
   */
  find(id: string): Promise<Session | undefined> | Session | undefined {
    if (!isSessionId(id) && !isAccessToken(id)) return undefined;
    const key = keyOf(id);
    const { entities } = this.#platform;
    const document = entities.getNow === undefined ? entities.get(key) : entities.getNow(key);
    if (isPromise(document)) return document.then((document) => this.#live(key, document));
    return this.#live(key, document);
  }

  /** Returns the session in `document`. A token ends with the token that created it, even in another account. */
  #live(key: Key, document: Document | undefined): Promise<Session | undefined> | Session | undefined {
    const ancestors = (document?.fields as SessionFields | undefined)?.token?.ancestors;
    if (ancestors === undefined) return liveSession(this.#platform, key, document);
    return this.#hasLiveAncestors(key.id, ancestors).then((isLive) =>
      isLive ? liveSession(this.#platform, key, document) : undefined,
    );
  }

  /**
   * True if all ancestors of a token are live. Otherwise deletes the token, because ending an ancestor deletes only the
   * descendants in its own account.
   */
  async #hasLiveAncestors(token: string, ancestors: readonly string[]): Promise<boolean> {
    const keys = ancestors.map(documentKey);
    const documents = await this.#platform.entities.getMany(keys);
    for (const [i, key] of keys.entries()) {
      if ((await liveSession(this.#platform, key, documents[i])) !== undefined) continue;
      await this.#delete(token);
      return false;
    }
    return true;
  }

  /**
   * Creates a session of 7 days for an account with its current name, address and roles; undefined if the account is
   * deleted or disabled, or if its password no longer has the version `passwordVersion`. Reads the account again after
   * a concurrent change.
   */
  async create(
    accountId: string,
    provider: Identity["provider"],
    { passwordVersion, agent }: SessionOptions = {},
  ): Promise<NewSession | undefined> {
    const id = random();
    const expires = new Date(this.#platform.clock.now() + sessionMs);
    const session = await this.#insert(accountId, provider, { id, expires, passwordVersion, agent });
    return session && { id, ...session };
  }

  /**
   * Creates an access token for an account; undefined if the account is deleted or disabled, or if the creating session
   * has ended. Takes concurrent changes into account.
   */
  async createToken(
    accountId: string,
    provider: Identity["provider"],
    { name, lifetime, roles, parent, creator }: TokenParts,
  ): Promise<CreatedToken | undefined> {
    const secret = `${accessTokenPrefix}${random()}`;
    const now = this.#platform.clock.now();
    const expires = earlierOf(lifetime === undefined ? undefined : now + lifetime, parent?.expires?.getTime());
    const ancestors = parent?.lineage ?? [];
    const descent = ancestors.length > 0 && { ancestors };
    const token = { name, created: new Date(now), ...(roles && { roles }), ...descent };
    const session = await this.#insert(accountId, provider, { id: secret, expires, token, creator });
    return session && { ...publicToken(keyOf(secret).id, token, expires), secret };
  }

  /** Lists the live access tokens of the account, newest first. */
  async tokens(accountId: string): Promise<readonly AccessToken[]> {
    const tokens: AccessToken[] = [];
    await eachSession(this.#platform, accountId, async ({ id, fields, expires }) => {
      const { token } = fields as SessionFields;
      if (token === undefined) return;
      if (token.ancestors && !(await this.#hasLiveAncestors(id, token.ancestors))) return;
      tokens.push(publicToken(id, token, expires));
    });
    return tokens.toSorted((a, b) => b.created.getTime() - a.created.getTime());
  }

  /** Ends an access token of the account and all tokens it created; false if the account has no token with this id. */
  async endToken(accountId: string, id: string): Promise<boolean> {
    let parent: string | undefined;
    await changeSessions(this.#platform, accountId, async (document) => {
      const { token } = document.fields as SessionFields;
      if (token === undefined || tokenId(document.id) !== id) return;
      await this.#delete(document.id);
      parent = document.id;
    });
    if (parent === undefined) return false;
    await this.#endDescendants(accountId, parent);
    return true;
  }

  /**
   * Deletes an ended token's descendants in this account. Descendants in other accounts are already invalid, and are
   * deleted when next used or listed.
   */
  async #endDescendants(accountId: string, ancestor: string): Promise<void> {
    await eachSession(this.#platform, accountId, async ({ id, fields }) => {
      const { token } = fields as SessionFields;
      if (token?.ancestors?.includes(ancestor)) await this.#delete(id);
    });
  }

  async end(id: string): Promise<void> {
    if (isSessionId(id)) await this.#delete(keyOf(id).id);
  }

  /** Lists the live sessions of the account, newest first. */
  async list(accountId: string): Promise<readonly OpenSession[]> {
    const sessions: OpenSession[] = [];
    await eachSession(this.#platform, accountId, async ({ id, fields, expires }) => {
      const ends = expires ?? new Date(this.#platform.clock.now() + sessionMs);
      const { provider, agent, token } = fields as SessionFields;
      if (token !== undefined) return;
      const began = new Date(ends.getTime() - sessionMs);
      sessions.push({ id, ...(agent !== undefined && { agent }), provider, began, ends });
    });
    return sessions.toSorted((a, b) => b.ends.getTime() - a.ends.getTime());
  }

  /** Marks the account's sessions and tokens as stale, so their next request reads the account again. */
  async markStale(accountId: string): Promise<void> {
    await changeSessions(this.#platform, accountId, (document) => markSession(this.#platform, document));
  }

  /** Returns the ids of the accounts whose sessions and tokens were changed in the last minute. */
  changedAccounts(): Promise<ReadonlySet<string>> {
    return changedAccounts(this.#platform);
  }

  /** Ends one session of the account, given its id in the list. Does nothing for other ids. */
  endOne(accountId: string, id: string): Promise<void> {
    return this.#end(accountId, ({ token }, document) => token === undefined && document === id);
  }

  /** Ends every session of the account, but no tokens. Sessions that are just being created read the account again. */
  signOut(accountId: string): Promise<void> {
    return this.#end(accountId, ({ token }) => token === undefined);
  }

  /** Ends every session and token of the account. Those that are just being created read the account again. */
  async endAll(accountId: string): Promise<void> {
    await this.#end(accountId, () => true);
    // Before its document was deleted, a session may have created a token that the first pass missed.
    await this.#end(accountId, () => true);
  }

  async #end(accountId: string, isSelected: (fields: SessionFields, id: string) => boolean): Promise<void> {
    await changeSessions(this.#platform, accountId, async ({ id, fields }) => {
      if (isSelected(fields as SessionFields, id)) await this.#delete(id);
    });
  }

  #delete(id: string): Promise<void> {
    return this.#platform.entities.delete(documentKey(id));
  }

  /**
   * Stores a session or token with the account's current data; undefined if the account is deleted or disabled, if the
   * creating session has ended, or if the password no longer has the version `passwordVersion`.
   */
  #insert(
    accountId: string,
    provider: Identity["provider"],
    { id, expires, token, passwordVersion, agent, creator }: NewDocument,
  ): Promise<Session | undefined> {
    const csrf = random();
    return transact(this.#platform, async (transaction) => {
      // Every change writes this mark after the account: a concurrent one makes this commit conflict, and the account
      // is read again.
      await transaction.get(markKey(accountId));
      if (creator !== undefined && (await transaction.get(documentKey(creator))) === undefined) return undefined;
      const account = await this.#platform.accounts.get(accountId);
      if (account === undefined || account.disabled) return undefined;
      if (passwordVersion !== undefined && account.passwordVersion !== passwordVersion) return undefined;
      const fields = sessionFields(identityOf(account, provider), {
        csrf,
        ...(agent !== undefined && { agent }),
        ...(token && { token }),
      });
      transaction.insert(keyOf(id), fields, expires && { expires });
      return sessionOf(fields, { id: keyOf(id).id, expires });
    });
  }
}

/** Returns the public id of a token: a part of its hash that is unique, but too short to look up the token. */
function tokenId(hash: string): string {
  return hash.slice(0, 24);
}

function publicToken(hash: string, { name, created, roles }: StoredToken, expires: Date | undefined): AccessToken {
  return {
    id: tokenId(hash),
    name,
    created,
    ...(expires && { expires }),
    ...(roles && { roles: [...roles] }),
  };
}

/** Returns 256 random bits in base64url. */
function random(): string {
  return randomBytes(32).toString("base64url");
}

function isSessionId(id: string): boolean {
  return /^[\w-]{43}$/.test(id);
}

/** Returns the document id of a session, given the id in its cookie. */
export function sessionDocumentId(id: string): string {
  return keyOf(id).id;
}

/** Returns the key of a session or token. Only a hash of the id is stored, so the data does not reveal the id. */
export function keyOf(id: string): Key {
  return documentKey(hash("sha256", id, "hex"));
}

function documentKey(id: string): Key {
  return { kind: sessionKind, id };
}

/** Returns the earlier of two times; undefined if both are undefined. */
function earlierOf(one: number = Infinity, other: number = Infinity): Date | undefined {
  const earlier = Math.min(one, other);
  return earlier === Infinity ? undefined : new Date(earlier);
}
