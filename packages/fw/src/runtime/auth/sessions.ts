import { hash, randomBytes } from "node:crypto";
import type { AccessToken, CreatedToken } from "../../declare/token.ts";
import { sessionMs } from "../../lib/limits.ts";
import { isPromise } from "../../lib/promise.ts";
import type { Document, Key, Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { transact } from "../../platform/transact.ts";
import { accessTokenPrefix, isAccessToken } from "../access/bearer.ts";
import { identityOf } from "./identity.ts";
import { sessionKind, sessionMarkKind } from "./kinds.ts";
import { sessionFields, sessionOf, type KeptToken, type SessionFields } from "./session-document.ts";
import type { Identity, NewSession, OpenSession, Session, Sessions, TokenParts } from "./session.ts";

/** Sessions of an account that are read and written together. */
const pageOfSessions = 200;

/** Sessions as documents of a platform whose kinds include `authKinds`. */
export function sessionsOn(platform: Platform): Sessions {
  return new PlatformSessions(platform);
}

class PlatformSessions implements Sessions {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  find(id: string): Promise<Session | undefined> | Session | undefined {
    if (!isSessionId(id) && !isAccessToken(id)) return undefined;
    const key = keyOf(id);
    const { entities } = this.#platform;
    const found = entities.getNow === undefined ? entities.get(key) : entities.getNow(key);
    return isPromise(found) ? found.then((document) => this.#live(key, document)) : this.#live(key, found);
  }

  async create(accountId: string, provider: Identity["provider"]): Promise<NewSession | undefined> {
    const id = random();
    const expires = new Date(this.#platform.clock.now() + sessionMs);
    const session = await this.#insert(accountId, provider, { id, expires });
    return session && { id, ...session };
  }

  async createToken(
    accountId: string,
    provider: Identity["provider"],
    { name, lifetime, roles }: TokenParts,
  ): Promise<CreatedToken | undefined> {
    const secret = `${accessTokenPrefix}${random()}`;
    const now = this.#platform.clock.now();
    const expires = lifetime === undefined ? undefined : new Date(now + lifetime);
    const token = { name, created: new Date(now), ...(roles && { roles }) };
    const session = await this.#insert(accountId, provider, { id: secret, expires, token });
    return session && { ...openToken(keyOf(secret).id, token, expires), secret };
  }

  async tokens(accountId: string): Promise<readonly AccessToken[]> {
    const open: AccessToken[] = [];
    await this.#each(accountId, async ({ id, fields, expires }) => {
      const { token } = fields as SessionFields;
      if (token !== undefined) open.push(openToken(id, token, expires));
    });
    return open.toSorted((a, b) => b.created.getTime() - a.created.getTime());
  }

  async endToken(accountId: string, id: string): Promise<boolean> {
    let ended = false;
    await this.#each(accountId, async (document) => {
      const { token } = document.fields as SessionFields;
      if (token === undefined || tokenId(document.id) !== id) return;
      await this.#platform.entities.delete({ kind: sessionKind, id: document.id });
      ended = true;
    });
    return ended;
  }

  async end(id: string): Promise<void> {
    if (isSessionId(id)) await this.#platform.entities.delete(keyOf(id));
  }

  async list(accountId: string): Promise<readonly OpenSession[]> {
    const open: OpenSession[] = [];
    await this.#each(accountId, async ({ fields, expires }) => {
      const ends = expires ?? new Date(this.#platform.clock.now() + sessionMs);
      const { provider, token } = fields as SessionFields;
      if (token !== undefined) return;
      open.push({ provider, began: new Date(ends.getTime() - sessionMs), ends });
    });
    return open.toSorted((a, b) => b.ends.getTime() - a.ends.getTime());
  }

  async markStale(accountId: string): Promise<void> {
    await this.#mark(accountId);
    await this.#each(accountId, (document) => this.#markSession(document));
  }

  signOut(accountId: string): Promise<void> {
    return this.#end(accountId, ({ token }) => token === undefined);
  }

  endAll(accountId: string): Promise<void> {
    return this.#end(accountId, () => true);
  }

  async #end(accountId: string, isMeant: (fields: SessionFields) => boolean): Promise<void> {
    await this.#mark(accountId);
    await this.#each(accountId, async ({ id, fields }) => {
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
      return sessionOf(fields);
    });
  }

  /** The session of a document, without a promise unless it is stale. */
  #live(key: Key, document: Document | undefined): Promise<Session | undefined> | Session | undefined {
    if (document === undefined) return undefined;
    const fields = document.fields as SessionFields;
    return fields.stale ? this.#refreshed(key, document, fields) : sessionOf(fields);
  }

  async #refreshed(key: Key, document: Document, fields: SessionFields): Promise<Session | undefined> {
    const refreshed = await this.#refresh(key, document, fields);
    if (refreshed !== "changed") return refreshed;
    return this.#live(key, await this.#platform.entities.get(key));
  }

  /** Rewrites a stale session from its account; `changed` when somebody else wrote it first. */
  async #refresh(key: Key, document: Document, fields: SessionFields): Promise<Session | undefined | "changed"> {
    const { entities, accounts } = this.#platform;
    const account = await accounts.get(fields.account);
    const ended = account === undefined || account.disabled;
    const next = ended ? undefined : sessionFields(identityOf(account, fields.provider), fields);
    const { version, expires } = document;
    try {
      if (next === undefined) await entities.delete(key, { version });
      else await entities.update(key, next, { version, ...(expires && { expires }) });
      return next && sessionOf(next);
    } catch (error) {
      if (isPlatformError(error, "conflict")) return "changed";
      if (isPlatformError(error, "missing")) return undefined;
      throw error;
    }
  }

  /** Makes the creations under way read the account again. No creation takes as long as the mark is kept. */
  async #mark(accountId: string): Promise<void> {
    const now = this.#platform.clock.now();
    await this.#platform.entities.upsert(
      markOf(accountId),
      { at: new Date(now) },
      { expires: new Date(now + sessionMs) },
    );
  }

  async #each(accountId: string, work: (document: Document) => Promise<void>): Promise<void> {
    const filters = [{ property: "account", op: "==", value: accountId }] as const;
    const query = { kind: sessionKind, filters, orders: [], limit: pageOfSessions };
    let after: string | undefined;
    do {
      const page = await this.#platform.entities.query(after === undefined ? query : { ...query, after });
      await Promise.all(page.documents.map(work));
      after = page.next;
    } while (after !== undefined);
  }

  /** Marks a session, also one that is marked: a refresh under way may have read the account before. */
  async #markSession(found: Document): Promise<void> {
    const { entities } = this.#platform;
    const key = { kind: sessionKind, id: found.id };
    for (let document: Document | undefined = found; document !== undefined; document = await entities.get(key)) {
      const { fields, version, expires } = document;
      try {
        await entities.update(key, { ...fields, stale: true }, { version, ...(expires && { expires }) });
        return;
      } catch (error) {
        if (isPlatformError(error, "missing")) return;
        if (!isPlatformError(error, "conflict")) throw error;
      }
    }
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

function markOf(accountId: string): Key {
  return { kind: sessionMarkKind, id: accountId };
}
