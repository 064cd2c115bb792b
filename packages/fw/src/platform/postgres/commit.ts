import type { Fence, Key } from "../contract.ts";
import { lostReadError } from "../base-transaction.ts";
import { lostLeaseError } from "../lease.ts";
import { refusalOf, subjectOf, type PendingMessage, type PendingWrite, type SingleWrite } from "../pending-writes.ts";
import { takenError, type Claim } from "../unique.ts";
import type { Connections, SingleResult, Sql, WriteSql } from "./connections.ts";
import type { SqlRow } from "./driver.ts";
import { entriesAdded, entriesOf, entriesWithout, type Entry } from "./entries.ts";
import { isExpired } from "./expiry.ts";
import { Locks } from "./locks.ts";
import { copiesOf } from "./messages/insert.ts";
import type { Registry } from "./registry.ts";
import type { Notify } from "./changes.ts";
import { claimedRange, claimsOfWrites, lockUnique } from "./uniques.ts";
import { markOf, plannedPutSql, putResult, putSql, putValues, type PutCall } from "./put-function.ts";
import { writeSql, writeValues, type SeenDocument, type WriteCall } from "./write-function.ts";

export interface ReadDocument {
  readonly key: Key;
  /** "" if the document did not exist. */
  readonly version: string;
  /** The row, even of a document that has expired. */
  readonly row: SqlRow | undefined;
}

/** A query of the transaction, to be checked again at the commit. */
export interface AskedQuestion {
  readonly kind: string;
  readonly subject: string;
  /** Resolves to true if the result is still the same. */
  isSame(sql: WriteSql): Promise<boolean>;
}

export interface Commit {
  readonly reads: readonly ReadDocument[];
  readonly questions: readonly AskedQuestion[];
  readonly writes: readonly (PendingWrite & Partial<SingleWrite>)[];
  readonly messages: readonly PendingMessage[];
  readonly fence: Fence | undefined;
  /** The time of the commit in milliseconds since 1970. Documents that expire at this time or earlier do not exist. */
  readonly now: number;
}

/** Thrown if the registry has changed since the commit was prepared. */
class StaleRegistry extends Error {}

interface CommitParts {
  readonly connections: Connections;
  readonly registries: RegistrySource;
  readonly notify: Notify;
}

export interface RegistrySource {
  readonly current: Registry;
  reload(): Promise<Registry>;
}

/** The last known rows of documents by name; undefined for a document that did not exist. */
type Rows = ReadonlyMap<string, SqlRow | undefined>;

interface DocumentCommit extends Commit {
  readonly writes: readonly [Commit["writes"][number]];
}

/** A commit, prepared for one state of its documents. */
interface PreparedCommit {
  readonly call: WriteCall;
  readonly has: readonly Entry[];
  readonly claims: readonly Claim[];
  /** True if the commit changes nothing, so that it needs no proof. */
  readonly isEmpty: boolean;
}

/**
 * Writes everything or nothing; returns the version of the last written document. Commits that use the same document
 * run one after another, unless all of them only read it. A commit that has queried a kind runs alone among the commits
 * that use the kind.
 */
export async function commit(parts: CommitParts, work: Commit): Promise<string> {
  const { connections, registries } = parts;
  for (let registry = registries.current; ; registry = await registries.reload()) {
    const locks = locksOf(connections.address.schema, registry, work);
    try {
      if (work.questions.length === 0) {
        const version = isOfDocument(work)
          ? await commitDocument(parts, registry, locks, work)
          : ((await commitAsSeen(parts, registry, locks, work, true)) ??
            (await commitAsSeen(parts, registry, locks, work, false)));
        if (version !== undefined) return version;
      }
      return await connections.write(locks.sql, (sql) => commitLocked(parts, registry, work, sql));
    } catch (error) {
      if (!(error instanceof StaleRegistry)) throw error;
    }
  }
}

function locksOf(schema: string, registry: Registry, { reads, questions, writes }: Commit): Locks {
  const locks = new Locks(schema).shared("registry");
  for (const { kind } of questions) locks.exclusive("kind", kind);
  const writtenNames = writes.map(({ key }) => key);
  const read = reads.map(({ key }) => key);
  lockUnique(locks, registry, writes);
  return locks.documents(writtenNames, read);
}

/**
 * Prepares the commit without locks from the documents as last seen, and lets the database compare them. Returns
 * undefined if a document has changed, or the isolation level is wrong. If `isFirst`, the transaction's own reads count
 * as last seen.
 */
async function commitAsSeen(
  parts: CommitParts,
  registry: Registry,
  locks: Locks,
  work: Commit,
  isFirst: boolean,
): Promise<string | undefined> {
  const { connections } = parts;
  const rows = await (isFirst ? seenRows(connections, work) : currentRows(reading(connections), namesOf(work)));
  const { call, claims, isEmpty } = await unlessFenced(parts, work, () => prepare(parts, registry, work, rows));
  const result = await connections.single((proofKey) => ({
    text: writeSql,
    values: writeValues({ ...call, locks: locks.calls, proofKey: isEmpty ? undefined : proofKey }),
  }));
  return versionOf(result, work, claims);
}

/**
 * True if the function `put` can perform the commit: it does nothing but write one document, and depends on no other
 * document and no lease.
 */
function isOfDocument(work: Commit): work is DocumentCommit {
  const [first, second] = work.writes;
  if (first === undefined || second !== undefined || work.messages.length > 0 || work.fence !== undefined) return false;
  return work.reads.every(({ key }) => nameOf(key) === nameOf(first.key));
}

/**
 * Commits one document, usually in one round trip. Tries again if it was not as seen, or if its entries change and the
 * transaction has not read it. Returns undefined if both attempts fail, or the isolation level is wrong.
 */
async function commitDocument(
  parts: CommitParts,
  registry: Registry,
  locks: Locks,
  work: DocumentCommit,
): Promise<string | undefined> {
  const { connections } = parts;
  const [{ key }] = work.writes;
  let rows = await knownRows(connections, work);
  for (let attempt = 0; attempt < 2; attempt++) {
    const { call, claims, isEmpty } =
      rows === undefined ? preparePut(parts, registry, work) : prepareSeenPut(parts, registry, work, rows);
    const result = await connections.single((proofKey) => ({
      text: connections.hasSettings ? putSql : plannedPutSql,
      values: putValues({ ...call, locks: locks.calls, proofKey: isEmpty ? undefined : proofKey }),
    }));
    if ("token" in result) return committedVersion(result.token);
    const { outcome, version, row, holder } = putResult(result.rows);
    if (outcome === "written" || outcome === "deleted") return version ?? "";
    if (outcome === "registry") throw new StaleRegistry();
    if (outcome === "taken") throw takenError(claims[holder.claim - 1] as Claim, holder.id);
    if (outcome !== "stale") return undefined;
    rows = new Map([[nameOf(key), row && { ...row, id: key.id }]]);
  }
  return undefined;
}

/**
 * Returns the document's row as the transaction read it, no row for an insert, or the current row for a delete;
 * undefined if `put` does not need the row.
 */
async function knownRows(connections: Connections, { reads, writes }: DocumentCommit): Promise<Rows | undefined> {
  const [{ key, expects, document }] = writes;
  const [read] = reads;
  if (read !== undefined) return new Map([[nameOf(key), read.row]]);
  if (expects === "absent") return new Map();
  return document === undefined ? currentRows(reading(connections), [key]) : undefined;
}

interface PreparedPut extends Pick<PreparedCommit, "claims" | "isEmpty"> {
  readonly call: PutCall;
}

function prepareSeenPut(parts: CommitParts, registry: Registry, work: DocumentCommit, rows: Rows): PreparedPut {
  const { call, has, claims, isEmpty } = prepare(parts, registry, work, rows);
  const [document] = call.documents as readonly [SeenDocument];
  const mark = markOf(registry.epoch, has);
  return { call: { ...call, document, isSeen: true, isPresent: false, mark }, claims, isEmpty };
}

function preparePut({ notify }: CommitParts, registry: Registry, { writes, now }: DocumentCommit): PreparedPut {
  const [{ key, expects, document, expires, version = null }] = writes;
  const claims = claimsOfWrites(registry, writes, now, () => undefined);
  const entries = document === undefined ? [] : entriesOf(registry, key.kind, key.id, document);
  const newDocument = {
    key,
    version,
    isWritten: true,
    expires: expires?.getTime() ?? null,
    body: document?.body ?? null,
  };
  const call: PutCall = {
    epoch: registry.epoch,
    now,
    document: newDocument,
    isSeen: false,
    isPresent: expects === "present",
    mark: markOf(registry.epoch, entries),
    claims: claims.map((claim) => claimedRange(registry, claim)),
    // `put` uses these entries only when it creates the document.
    entries: expects === "present" ? [] : entries,
    notification: notify([key]),
  };
  return { call, claims, isEmpty: false };
}

/** Commits while locks protect the documents from changes. */
async function commitLocked(parts: CommitParts, registry: Registry, work: Commit, sql: WriteSql): Promise<string> {
  if (sql.epoch !== registry.epoch) throw new StaleRegistry();
  const { fence, reads, questions, now } = work;
  if (fence !== undefined) await checkFence(parts.connections, sql, fence);
  const rows = await currentRows(sql, namesOf(work));
  refuseLostReads(reads, rows, now);
  for (const question of questions) if (!(await question.isSame(sql))) throw lostReadError(question.subject);
  const { call, claims } = prepare(parts, registry, work, rows);
  const version = versionOf({ rows: await sql.rows(writeSql, writeValues(call)) }, work, claims);
  if (version === undefined) throw new Error("a document changed under its lock");
  return version;
}

/** Runs a check of documents. If it fails and the lease has been lost, throws the error for the lease instead. */
async function unlessFenced<T>({ connections }: CommitParts, { fence }: Commit, check: () => T): Promise<T> {
  try {
    return check();
  } catch (error) {
    if (fence !== undefined) await checkFence(connections, reading(connections), fence);
    throw error;
  }
}

/** Checks the reads and writes against the rows, and prepares the call of the function that commits them. */
function prepare(
  { connections, notify }: CommitParts,
  registry: Registry,
  { reads, writes, messages, fence, now }: Commit,
  rows: Rows,
): PreparedCommit {
  refuseLostReads(reads, rows, now);
  const live = (key: Key): SqlRow | undefined => liveRow(rows, key, now);
  for (const write of writes) {
    const row = live(write.key);
    const refusal = refusalOf(write, row && { version: String(row["version"]) });
    if (refusal !== undefined) throw refusal;
  }
  const claims = claimsOfWrites(registry, writes, now, (key) => rows.get(nameOf(key)));
  const changes = writes.filter(({ key, document }) => document !== undefined || rows.get(nameOf(key)) !== undefined);
  const { has, oldEntries, entries } = changedEntries(registry, changes, rows);
  const call: WriteCall = {
    epoch: registry.epoch,
    now,
    clock: connections.now,
    fence,
    documents: seenDocuments(reads, writes, rows),
    claims: claims.map((claim) => claimedRange(registry, claim)),
    oldEntries,
    entries,
    notification: notify(writes.map(({ key }) => key)),
    messages: copiesOf(messages),
  };
  return { call, has, claims, isEmpty: changes.length + messages.length === 0 };
}

function refuseLostReads(reads: readonly ReadDocument[], rows: Rows, now: number): void {
  for (const { key, version } of reads)
    if ((liveRow(rows, key, now)?.["version"] ?? "") !== version) throw lostReadError(subjectOf(key));
}

function seenDocuments(reads: readonly ReadDocument[], writes: Commit["writes"], rows: Rows): readonly SeenDocument[] {
  const writtenNames = new Set(writes.map(({ key }) => nameOf(key)));
  const toWrite = writes.map(({ key, document, expires }): SeenDocument => {
    const version = rows.get(nameOf(key))?.["version"];
    const body = document?.body ?? null;
    return { key, version: textOf(version), isWritten: true, expires: expires?.getTime() ?? null, body };
  });
  const read = reads.flatMap(({ key, version }): SeenDocument[] =>
    writtenNames.has(nameOf(key)) ? [] : [{ key, version: version === "" ? null : version, isWritten: false }],
  );
  return [...toWrite, ...read];
}

function changedEntries(
  registry: Registry,
  changes: Commit["writes"],
  rows: Rows,
): { readonly has: Entry[]; readonly oldEntries: Entry[]; readonly entries: Entry[] } {
  const all: Entry[] = [];
  const oldEntries: Entry[] = [];
  const entries: Entry[] = [];
  for (const { key, document } of changes) {
    const row = rows.get(nameOf(key));
    const had = row === undefined ? [] : entriesOf(registry, key.kind, key.id, String(row["body"]));
    const has = document === undefined ? [] : entriesOf(registry, key.kind, key.id, document);
    all.push(...has);
    oldEntries.push(...entriesWithout(had, has));
    entries.push(...entriesAdded(had, has));
  }
  return { has: all, oldEntries, entries };
}

/** Converts a commit's token to the written version; "" if there is none. */
function committedVersion(token: string): string {
  return token === "0" ? "" : token;
}

/**
 * Returns the version of the last written document; undefined if the outcome is `stale` or `isolation`. Throws the
 * error of any other refusal.
 */
function versionOf(result: SingleResult, { fence }: Commit, claims: readonly Claim[]): string | undefined {
  if ("token" in result) return committedVersion(result.token);
  const [row] = result.rows;
  const outcome = row?.["outcome"];
  if (outcome === "written") return textOf(row?.["version"]) ?? "";
  if (outcome === "registry") throw new StaleRegistry();
  if (outcome === "lease") throw lostLeaseError(fence as Fence);
  if (outcome === "taken") throw takenError(claims[Number(row?.["version"]) - 1] as Claim, String(row?.["id"]));
  return undefined;
}

async function checkFence(connections: Connections, sql: Sql, fence: Fence): Promise<void> {
  const rows = await sql.rows(
    `SELECT 1 FROM @@leases WHERE name = $1 AND token = $2 AND expires > ${connections.nowSql} FOR SHARE`,
    [fence.name, fence.token],
  );
  if (rows.length === 0) throw lostLeaseError(fence);
}

/** Returns the rows that the transaction has read, and reads the others now. Inserts have no row. */
async function seenRows(connections: Connections, { reads, writes }: Commit): Promise<Rows> {
  const rows = new Map(reads.map(({ key, row }) => [nameOf(key), row]));
  const unseen: Key[] = [];
  for (const { key, expects } of writes) {
    if (rows.has(nameOf(key))) continue;
    if (expects === "absent") rows.set(nameOf(key), undefined);
    else unseen.push(key);
  }
  if (unseen.length === 0) return rows;
  return new Map([...rows, ...(await currentRows(reading(connections), unseen))]);
}

function reading(connections: Connections): Sql {
  return { rows: (text, values) => connections.runRepeatable(text, values) };
}

function namesOf({ reads, writes }: Commit): readonly Key[] {
  return [...new Map([...writes, ...reads].map(({ key }) => [nameOf(key), key])).values()];
}

async function currentRows(sql: Sql, keys: readonly Key[]): Promise<Rows> {
  const rows = await readRows(sql, keys);
  return new Map(keys.map((key, i) => [nameOf(key), rows[i]]));
}

const columns = "d.kind, d.id, d.version, d.expires, d.body";

/** Returns the rows of documents, including expired ones, in the order of their keys. */
export async function readRows(sql: Sql, keys: readonly Key[]): Promise<readonly (SqlRow | undefined)[]> {
  const [first, second] = keys;
  if (first === undefined) return [];
  if (second === undefined)
    return [
      (
        await sql.rows(`SELECT ${columns} FROM @@documents d WHERE d.kind = $1 AND d.id = $2`, [first.kind, first.id])
      )[0],
    ];
  const rows = await sql.rows(
    `SELECT k.n, d.* FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(kind, id, n)
     CROSS JOIN LATERAL (SELECT ${columns} FROM @@documents d WHERE d.kind = k.kind AND d.id = k.id OFFSET 0) d`,
    [keys.map(({ kind }) => kind), keys.map(({ id }) => id)],
  );
  const byNumber = new Map(rows.map((row) => [Number(row["n"]), row]));
  return keys.map((_, i) => byNumber.get(i + 1));
}

/** Returns a document's row, unless it has expired. */
function liveRow(rows: Rows, key: Key, now: number): SqlRow | undefined {
  const row = rows.get(nameOf(key));
  return row === undefined || isExpired(row, now) ? undefined : row;
}

function textOf(version: SqlRow[string] | undefined): string | null {
  return version === undefined || version === null ? null : String(version);
}

function nameOf({ kind, id }: Key): string {
  return `${kind}\n${id}`;
}
