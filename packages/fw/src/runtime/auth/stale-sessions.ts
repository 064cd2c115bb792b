import { pageDocuments, sessionMs } from "../../lib/limits.ts";
import type { Document, Key, Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { sessionKind, sessionMarkKind } from "./kinds.ts";
import { sessionFields, sessionOf, type SessionFields } from "./session-document.ts";
import type { Session } from "./sessions.ts";
import { identityOf } from "./user.ts";

type Parts = Pick<Platform, "accounts" | "clock" | "entities">;

/** The number of an account's sessions that are read and changed at once. */
const pageOfSessions = 200;

/**
 * Returns the key of the document that marks changes to an account. The transaction that creates a session reads the
 * document, so a concurrent change restarts the transaction.
 */
export function markKey(accountId: string): Key {
  return { kind: sessionMarkKind, id: accountId };
}

/** Returns the session of a document; a promise only if a stale session must be refreshed from its account. */
export function liveSession(
  platform: Parts,
  key: Key,
  document: Document | undefined,
): Promise<Session | undefined> | Session | undefined {
  if (document === undefined) return undefined;
  const fields = document.fields as SessionFields;
  return fields.stale ? refreshAndReread(platform, key, document) : sessionOf(fields, document);
}

async function refreshAndReread(platform: Parts, key: Key, document: Document): Promise<Session | undefined> {
  const session = await refresh(platform, key, document);
  if (session !== "changed") return session;
  return liveSession(platform, key, await platform.entities.get(key));
}

/**
 * Rewrites a stale session from its account, or deletes it if the account is deleted or disabled. Returns `changed` if
 * another process wrote the session first.
 */
async function refresh(
  { entities, accounts }: Parts,
  key: Key,
  document: Document,
): Promise<Session | undefined | "changed"> {
  const fields = document.fields as SessionFields;
  const account = await accounts.get(fields.account);
  const isGone = account === undefined || account.disabled;
  const next = isGone ? undefined : sessionFields(identityOf(account, fields.provider), fields);
  const { version, expires } = document;
  try {
    if (next === undefined) await entities.delete(key, { version });
    else await entities.update(key, next, { version, ...(expires && { expires }) });
    return next && sessionOf(next, document);
  } catch (error) {
    if (isPlatformError(error, "conflict")) return "changed";
    if (isPlatformError(error, "missing")) return undefined;
    throw error;
  }
}

/** Makes concurrent creations of sessions read the account again, and then calls `work` with every existing session. */
export async function changeSessions(
  platform: Parts,
  accountId: string,
  work: (document: Document) => Promise<void>,
): Promise<void> {
  const now = platform.clock.now();
  // The mark outlives the creation of any session.
  await platform.entities.upsert(markKey(accountId), { at: new Date(now) }, { expires: new Date(now + sessionMs) });
  await eachSession(platform, accountId, work);
}

/**
 * How long a change to an account counts as recent, in milliseconds. Must exceed the duration of a change plus clock
 * skew.
 */
const recentMs = 60_000;

/** Returns the ids of the accounts whose sessions were marked or ended recently, or are about to be. */
export async function changedAccounts({ entities, clock }: Parts): Promise<ReadonlySet<string>> {
  const value = new Date(clock.now() - recentMs);
  const filters = [{ property: "at", op: ">", value }] as const;
  const orders = [{ property: "at", direction: "desc" }] as const;
  const query = { kind: sessionMarkKind, filters, orders, limit: pageDocuments };
  const changed = new Set<string>();
  let after: string | undefined;
  do {
    const page = await entities.query(after === undefined ? query : { ...query, after });
    for (const { id } of page.documents) changed.add(id);
    after = page.next;
  } while (after !== undefined);
  return changed;
}

/** Calls `work` with every session and access token of an account. */
export async function eachSession(
  { entities }: Parts,
  accountId: string,
  work: (document: Document) => Promise<void>,
): Promise<void> {
  const filters = [{ property: "account", op: "==", value: accountId }] as const;
  const query = { kind: sessionKind, filters, orders: [], limit: pageOfSessions };
  let after: string | undefined;
  do {
    const page = await entities.query(after === undefined ? query : { ...query, after });
    await Promise.all(page.documents.map(work));
    after = page.next;
  } while (after !== undefined);
}

/** Marks a session stale, even if it already is: a concurrent refresh may have read the account too early. */
export async function markSession({ entities }: Parts, initial: Document): Promise<void> {
  const key = { kind: sessionKind, id: initial.id };
  for (let document: Document | undefined = initial; document !== undefined; document = await entities.get(key)) {
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
