import { pageDocuments, sessionMs } from "../../lib/limits.ts";
import type { Document, Key, Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { sessionKind, sessionMarkKind } from "./kinds.ts";
import { sessionFields, sessionOf, type SessionFields } from "./session-document.ts";
import type { Session } from "./sessions.ts";
import { identityOf } from "./user.ts";

type Parts = Pick<Platform, "accounts" | "clock" | "entities">;

/** Sessions of an account that are read and written together. */
const pageOfSessions = 200;

/** Where the changes of an account are marked. Whoever makes a session reads it first, and begins again where it changed. */
export function markOf(accountId: string): Key {
  return { kind: sessionMarkKind, id: accountId };
}

/** The session of a document, without a promise unless it is stale: then it is made of its account as it is now. */
export function liveSession(
  platform: Parts,
  key: Key,
  document: Document | undefined,
): Promise<Session | undefined> | Session | undefined {
  if (document === undefined) return undefined;
  const fields = document.fields as SessionFields;
  return fields.stale ? refreshed(platform, key, document) : sessionOf(fields, document);
}

async function refreshed(platform: Parts, key: Key, document: Document): Promise<Session | undefined> {
  const session = await refresh(platform, key, document);
  if (session !== "changed") return session;
  return liveSession(platform, key, await platform.entities.get(key));
}

/** Rewrites a stale session from its account; `changed` when somebody else wrote it first. */
async function refresh(
  { entities, accounts }: Parts,
  key: Key,
  document: Document,
): Promise<Session | undefined | "changed"> {
  const fields = document.fields as SessionFields;
  const account = await accounts.get(fields.account);
  const ended = account === undefined || account.disabled;
  const next = ended ? undefined : sessionFields(identityOf(account, fields.provider), fields);
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

/** Makes the creations under way read the account again, then does its work with every session that there is. */
export async function changeSessions(
  platform: Parts,
  accountId: string,
  work: (document: Document) => Promise<void>,
): Promise<void> {
  const now = platform.clock.now();
  // No creation takes as long as the mark is kept.
  await platform.entities.upsert(markOf(accountId), { at: new Date(now) }, { expires: new Date(now + sessionMs) });
  await eachSession(platform, accountId, work);
}

/**
 * Milliseconds for which a change of an account counts as recent: longer than the change takes, and than clocks may
 * differ.
 */
const recentMs = 60_000;

/** The ids of the accounts whose sessions were marked or ended recently, or are about to be. */
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

/** Does its work with every session and access token of an account. */
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

/** Marks a session, also one that is marked: a refresh under way may have read the account before. */
export async function markSession({ entities }: Parts, found: Document): Promise<void> {
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
