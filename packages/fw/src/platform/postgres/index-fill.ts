import type { FillPace } from "../fill-pace.ts";
import { encodeScalar } from "../local/index-key.ts";
import { sharedSentence } from "../required-indexes.ts";
import type { RegistrySource } from "./commit.ts";
import type { Connections, Sql } from "./connections.ts";
import { entriesOf, entryColumns } from "./entries.ts";
import { documentLocks, Locks } from "./locks.ts";

/** Interval between progress reports in milliseconds. */
const reportMs = 60_000;

/** The maximum number of duplicate values to warn about per property. */
const warnedValues = 20;

/** Indexes of one kind, which commits already update, and the settings for filling them. */
export interface IndexFill {
  readonly kind: string;
  readonly indexes: readonly number[];
  readonly pace: FillPace;
  /** Throws if the fill must stop. */
  readonly check: () => void;
  readonly signal: AbortSignal | undefined;
  /** Receives progress messages about a long fill. */
  readonly note: (sentence: string) => void;
}

/** The next documents of a fill. */
interface Batch {
  /** The indexes that are complete up to `position`. */
  readonly indexes: readonly number[];
  readonly position: string;
  /** Sorted ids; empty when the fill is complete. */
  readonly ids: readonly string[];
}

/**
 * Creates the index entries of every document of a kind. Each commit records the fill's position, so any machine can
 * resume it. Only writes of documents in the current batch wait for the fill.
 */
export async function fillIndexes(
  connections: Connections,
  registries: RegistrySource,
  fill: IndexFill,
): Promise<void> {
  const { kind, pace, check, signal } = fill;
  let reportedAt = performance.now();
  for (;;) {
    check();
    const started = performance.now();
    const batch = await nextBatch(connections, fill);
    const last = batch.ids.at(-1);
    if (last === undefined) return;
    const computedMs = await fillBatch(connections, registries, kind, batch);
    const now = performance.now();
    if (now - reportedAt >= reportMs) {
      reportedAt = now;
      fill.note(await progressSentence(connections, kind, last));
    }
    await pace.pause(computedMs, signal, now - started - computedMs);
  }
}

/** Reads the position of the indexes that are furthest behind, and the ids after it. */
async function nextBatch(connections: Connections, { kind, indexes, pace }: IndexFill): Promise<Batch> {
  const limit = Math.min(pace.limit.documents, documentLocks);
  const rows = await connections.runRepeatable(
    `WITH behind AS (
       SELECT filled_to AS position, array_agg(ix) AS indexes FROM @@indexes
       WHERE ix = ANY ($2::integer[]) AND state = 0 GROUP BY 1 ORDER BY 1 LIMIT 1
     )
     SELECT b.position, b.indexes, ARRAY(
       SELECT d.id FROM @@documents d WHERE d.kind = $1 AND d.id > b.position ORDER BY d.id LIMIT ${limit}
     ) AS ids FROM behind b`,
    [kind, indexes],
  );
  const [row] = rows as unknown as readonly Batch[];
  return row ?? { indexes: [], position: "", ids: [] };
}

/**
 * Indexes a batch of documents unless another machine has done so. Reads them under their locks, so that no write is
 * missed. Returns the milliseconds for which it blocked the process.
 */
async function fillBatch(
  connections: Connections,
  registries: RegistrySource,
  kind: string,
  { indexes, position, ids }: Batch,
): Promise<number> {
  let computedMs = 0;
  const filling = new Set(indexes);
  const keys = ids.map((id) => ({ kind, id }));
  await connections.write(new Locks(connections.address.schema).documents(keys).sql, async (sql) => {
    if (!(await isNext(sql, indexes, position))) return;
    const rows = await sql.rows("SELECT id, body FROM @@documents WHERE kind = $1 AND id = ANY ($2::text[])", [
      kind,
      ids,
    ]);
    const started = performance.now();
    const entries = rows.flatMap(({ id, body }) =>
      entriesOf(registries.current, kind, String(id), String(body)).filter(({ ix }) => filling.has(ix)),
    );
    computedMs = performance.now() - started;
    await sql.rows(
      `WITH filled AS (UPDATE @@indexes SET filled_to = $6, wanted = ${connections.nowSql} WHERE ix = ANY ($7::integer[]))
       INSERT INTO @@entries (ix, head, more, rest, id)
       SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bytea[], $4::bytea[], $5::text[]) ON CONFLICT DO NOTHING`,
      [...entryColumns(entries), ids.at(-1) ?? position, indexes],
    );
  });
  return computedMs;
}

/** True if `position` is still the position of all indexes. Locks their rows until the transaction ends. */
async function isNext(sql: Sql, indexes: readonly number[], position: string): Promise<boolean> {
  const rows = await sql.rows(
    "SELECT ix FROM @@indexes WHERE ix = ANY ($1::integer[]) AND state = 0 AND filled_to = $2 ORDER BY ix FOR UPDATE",
    [indexes, position],
  );
  return rows.length === indexes.length;
}

async function progressSentence(connections: Connections, kind: string, position: string): Promise<string> {
  const [row] = await connections.runRepeatable(
    "SELECT count(*) FILTER (WHERE id <= $2) AS done, count(*) AS total FROM @@documents WHERE kind = $1",
    [kind, position],
  );
  return `an index of ${kind} is being filled: ${String(row?.["done"])} of ${String(row?.["total"])} documents`;
}

/** Returns warnings for values of a unique property, other than null, that several documents share. */
export async function sharedValues(
  connections: Connections,
  ix: number,
  kind: string,
  property: string,
): Promise<readonly string[]> {
  const rows = await connections.runRepeatable(
    `SELECT (array_agg(id ORDER BY id))[1:3] AS ids FROM
       (SELECT id, substr(head || rest, 1, octet_length(head) + octet_length(rest) - octet_length(id)) AS value
        FROM @@entries WHERE ix = $1) held
     WHERE value <> $2 GROUP BY value HAVING count(*) > 1 LIMIT ${warnedValues}`,
    [ix, encodeScalar(null, "asc")],
  );
  return rows.map(({ ids }) => sharedSentence(kind, property, ids as unknown as readonly string[]));
}
