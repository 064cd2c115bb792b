import { hash, randomBytes } from "node:crypto";
import { sessionMs } from "../../lib/limits.ts";
import { isPromise } from "../../lib/promise.ts";
import type { Document, Key, Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { transact } from "../../platform/transact.ts";
import { identityOf } from "./identity.ts";
import { sessionKind, sessionMarkKind } from "./kinds.ts";
import { sessionFields, sessionOf, type SessionFields } from "./session-document.ts";
import type { Identity, NewSession, OpenSession, Session, Sessions } from "./session.ts";

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
    if (!isSessionId(id)) return undefined;
    const key = keyOf(id);
    const { entities } = this.#platform;
    const found = entities.getNow === undefined ? entities.get(key) : entities.getNow(key);
    return isPromise(found) ? found.then((document) => this.#live(key, document)) : this.#live(key, found);
  }

  async create(accountId: string, provider: Identity["provider"]): Promise<NewSession | undefined> {
    const id = randomBytes(32).toString("base64url");
    const csrf = randomBytes(32).toString("base64url");
    return transact(this.#platform, async (transaction) => {
      // Whoever changes the account writes the mark afterwards: then this commit fails, and the account is read again.
      await transaction.get(markOf(accountId));
      const account = await this.#platform.accounts.get(accountId);
      if (account === undefined || account.disabled) return undefined;
      const identity = identityOf(account, provider);
      const fields = sessionFields(identity, csrf);
      transaction.insert(keyOf(id), fields, { expires: new Date(this.#platform.clock.now() + sessionMs) });
      return { id, identity, csrf };
    });
  }

  async end(id: string): Promise<void> {
    if (isSessionId(id)) await this.#platform.entities.delete(keyOf(id));
  }

  async list(accountId: string): Promise<readonly OpenSession[]> {
    const open: OpenSession[] = [];
    await this.#each(accountId, async ({ fields, expires }) => {
      const ends = expires ?? new Date(this.#platform.clock.now() + sessionMs);
      const { provider } = fields as SessionFields;
      open.push({ provider, began: new Date(ends.getTime() - sessionMs), ends });
    });
    return open.toSorted((a, b) => b.ends.getTime() - a.ends.getTime());
  }

  async markStale(accountId: string): Promise<void> {
    await this.#mark(accountId);
    await this.#each(accountId, (document) => this.#markSession(document));
  }

  async endAll(accountId: string): Promise<void> {
    await this.#mark(accountId);
    await this.#each(accountId, ({ id }) => this.#platform.entities.delete({ kind: sessionKind, id }));
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
    const next = ended ? undefined : sessionFields(identityOf(account, fields.provider), fields.csrf);
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

/** 256 bits in base64url. */
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
