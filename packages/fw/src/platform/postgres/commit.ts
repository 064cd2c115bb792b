import type { Fence, Key } from "../contract.ts";
import { lostReadError } from "../base-transaction.ts";
import { lostLeaseError } from "../lease.ts";
import { refusalOf, subjectOf, type PendingMessage, type PendingWrite, type SingleWrite } from "../pending-writes.ts";
import type { Connections, WriteSql } from "./connections.ts";
import type { SqlRow } from "./driver.ts";
import { entriesAdded, entriesOf, entriesWithout, entryColumns, type Entry } from "./entries.ts";
import { Locks } from "./locks.ts";
import { insertMessages } from "./messages/insert.ts";
import type { Registry } from "./registry.ts";
import type { Notify } from "./changes.ts";
import { checkUnique, lockUnique } from "./uniques.ts";

/** A document that a transaction has read. */
export interface ReadDocument {
  readonly key: Key;
  /** "" if the document did not exist. */
  readonly version: string;
}

/** A query of a transaction, to check again at the commit. */
export interface AskedQuestion {
  readonly kind: string;
  readonly subject: string;
  /** Resolves to true if its result is still the same. */
  isSame(sql: WriteSql): Promise<boolean>;
}

/** The checks and writes of one commit. */
export interface Commit {
  readonly reads: readonly ReadDocument[];
  readonly questions: readonly AskedQuestion[];
  readonly writes: readonly (PendingWrite & Partial<SingleWrite>)[];
  readonly messages: readonly PendingMessage[];
  readonly fence: Fence | undefined;
  /** The time of the commit in milliseconds since 1970; documents that expire at or before it are gone. */
  readonly now: number;
}

/** Thrown if the registry has changed since the commit was prepared. */
class StaleRegistry extends Error {}

interface CommitParts {
  readonly connections: Connections;
  readonly registries: RegistrySource;
  readonly notify: Notify;
}

/** The registry that commits are prepared with. */
export interface RegistrySource {
  readonly current: Registry;
  reload(): Promise<Registry>;
}

/**
 * Writes everything or nothing; returns the version of the last written document. Commits that read or write the same
 * document run one after another, and so do commits to a kind that one of them has queried.
 */
export async function commit({ connections, registries, notify }: CommitParts, work: Commit): Promise<string> {
  for (let registry = registries.current; ; registry = await registries.reload()) {
    const locks = locksOf(connections.address.schema, registry, work);
    try {
      return await connections.write(locks.sql, async (sql) => {
        if (sql.epoch !== registry.epoch) throw new StaleRegistry();
        const version = await carryOut(connections, registry, work, sql);
        await notify(
          sql,
          work.writes.map(({ key }) => key),
        );
        return version;
      });
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

async function carryOut(
  connections: Connections,
  registry: Registry,
  { reads, questions, writes, messages, fence, now }: Commit,
  sql: WriteSql,
): Promise<string> {
  if (fence !== undefined) await checkFence(connections, sql, fence);
  const before = await currentRows(sql, reads, writes);
  for (const { key, version } of reads)
    if ((liveRow(before, key, now)?.["version"] ?? "") !== version) throw lostReadError(subjectOf(key));
  for (const question of questions) if (!(await question.isSame(sql))) throw lostReadError(question.subject);
  for (const write of writes) {
    const row = liveRow(before, write.key, now);
    const refusal = refusalOf(write, row && { version: String(row["version"]) });
    if (refusal !== undefined) throw refusal;
  }
  const live = (key: Key): SqlRow | undefined => liveRow(before, key, now);
  await checkUnique(sql, registry, { writes, live, now });
  const version = await writeDocuments(sql, registry, writes, before);
  if (messages.length > 0) await insertMessages(sql, messages, connections);
  return version;
}

async function checkFence(connections: Connections, sql: WriteSql, fence: Fence): Promise<void> {
  const rows = await sql.rows(
    `SELECT 1 FROM @@leases WHERE name = $1 AND token = $2 AND expires > ${connections.nowSql} FOR SHARE`,
    [fence.name, fence.token],
  );
  if (rows.length === 0) throw lostLeaseError(fence);
}

type Rows = ReadonlyMap<string, SqlRow>;

/** The rows of all documents that were read or will be written; includes the body only for the latter. */
async function currentRows(
  sql: WriteSql,
  reads: readonly ReadDocument[],
  writes: readonly Pick<PendingWrite, "key">[],
): Promise<Rows> {
  const writtenNames = new Set(writes.map(({ key }) => nameOf(key)));
  const keys = [
    ...writes.map(({ key }) => key),
    ...reads.flatMap(({ key }) => (writtenNames.has(nameOf(key)) ? [] : [key])),
  ];
  if (keys.length === 0) return new Map();
  const rows = await sql.rows(
    `SELECT d.kind, d.id, d.version, d.expires, CASE WHEN k.written THEN d.body END AS body
     FROM unnest($1::text[], $2::text[], $3::boolean[]) AS k(kind, id, written)
     JOIN @@documents d ON d.kind = k.kind AND d.id = k.id`,
    [keys.map(({ kind }) => kind), keys.map(({ id }) => id), keys.map((key) => writtenNames.has(nameOf(key)))],
  );
  return new Map(rows.map((row) => [nameOf({ kind: String(row["kind"]), id: String(row["id"]) }), row]));
}

/** The row of a document unless it has expired. */
function liveRow(rows: Rows, key: Key, now: number): SqlRow | undefined {
  const row = rows.get(nameOf(key));
  return row === undefined || (row["expires"] !== null && Number(row["expires"]) <= now) ? undefined : row;
}

async function writeDocuments(
  sql: WriteSql,
  registry: Registry,
  writes: Commit["writes"],
  before: Rows,
): Promise<string> {
  const changes = writes.filter(({ key, document }) => document !== undefined || before.has(nameOf(key)));
  if (changes.length === 0) return "";
  const old: Entry[] = [];
  const fresh: Entry[] = [];
  for (const { key, document } of changes) {
    const row = before.get(nameOf(key));
    const had = row === undefined ? [] : entriesOf(registry, key.kind, key.id, String(row["body"]));
    const has = document === undefined ? [] : entriesOf(registry, key.kind, key.id, document);
    old.push(...entriesWithout(had, has));
    fresh.push(...entriesAdded(had, has));
  }
  const put = changes.flatMap(({ key, document, expires }) =>
    document === undefined ? [] : [{ ...key, body: document.body, expires: expires?.getTime() ?? null }],
  );
  const deletedKeys = changes.flatMap(({ key, document }) => (document === undefined ? [key] : []));
  const [oldIx, oldHead, oldMore] = entryColumns(old);
  const rows = await sql.rows(writeSql, [
    oldIx,
    oldHead,
    oldMore,
    ...entryColumns(fresh),
    deletedKeys.map(({ kind }) => kind),
    deletedKeys.map(({ id }) => id),
    put.map(({ kind }) => kind),
    put.map(({ id }) => id),
    put.map(({ expires }) => expires),
    put.map(({ body }) => body),
  ]);
  return String(rows[0]?.["version"] ?? "");
}

const writeSql = `
  WITH old AS (
    DELETE FROM @@entries e USING unnest($1::integer[], $2::bytea[], $3::bytea[]) AS o(ix, head, more)
    WHERE e.ix = o.ix AND e.head = o.head AND e.more = o.more
  ), fresh AS (
    INSERT INTO @@entries (ix, head, more, rest, id)
    SELECT * FROM unnest($4::integer[], $5::bytea[], $6::bytea[], $7::bytea[], $8::text[]) ON CONFLICT DO NOTHING
  ), gone AS (
    DELETE FROM @@documents d USING unnest($9::text[], $10::text[]) AS g(kind, id) WHERE d.kind = g.kind AND d.id = g.id
  ), put AS (
    INSERT INTO @@documents (kind, id, version, expires, body)
    SELECT p.kind, p.id, nextval('@@versions'), p.expires, p.body
    FROM unnest($11::text[], $12::text[], $13::bigint[], $14::text[]) AS p(kind, id, expires, body)
    ON CONFLICT (kind, id) DO UPDATE
    SET version = excluded.version, expires = excluded.expires, body = excluded.body
    RETURNING version
  )
  SELECT max(version) AS version FROM put`;

function nameOf({ kind, id }: Key): string {
  return `${kind}\n${id}`;
}
