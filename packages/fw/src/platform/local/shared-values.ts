import { setImmediate as nextTurn } from "node:timers/promises";
import { encodeScalar } from "./index-key.ts";
import { prepareAll, type Database } from "./sqlite.ts";

/** The number of entries that one step reads, which takes about half a millisecond. */
const stepEntries = 1_000;

/** The maximum number of ids per value. A warning names two; a third shows that there are more. */
const idsOfValue = 3;

const statements = {
  keys: "SELECT key, id FROM entries WHERE ix = ? AND (key, id) > (?, ?) ORDER BY key, id LIMIT ?",
  ids: "SELECT id FROM entries WHERE ix = ? AND key = ? ORDER BY id LIMIT ?",
} as const;

export interface SharedSearch {
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * Finds values, except null, that several documents share in a single-property index. Resolves with document ids for up
 * to `limit` such values. Requests run between the steps. Rejects with the signal's reason.
 */
export async function sharedValues(
  database: Database,
  ix: number,
  { limit, signal }: SharedSearch,
): Promise<readonly (readonly string[])[]> {
  const sql = prepareAll(database, statements);
  const keys: Uint8Array[] = [];
  let position: readonly [key: Uint8Array, id: string] = [Uint8Array.of(0), ""];
  for (let isDone = false; !isDone && keys.length < limit;) {
    const rows = sql.keys.all(ix, ...position, stepEntries);
    for (const [key, id] of rows) {
      const next = key as Uint8Array;
      if (isShared(position[0], next) && !isShared(keys.at(-1), next)) keys.push(next);
      position = [next, String(id)];
    }
    isDone = rows.length < stepEntries;
    await nextTurn();
    signal.throwIfAborted();
  }
  const lists = keys.slice(0, limit).map((key) => sql.ids.all(ix, key, idsOfValue).map(([id]) => String(id)));
  return lists.filter(({ length }) => length > 1);
}

/** Whether two entries have the same value, other than null. */
function isShared(left: Uint8Array | undefined, right: Uint8Array): boolean {
  return left !== undefined && Buffer.compare(left, right) === 0 && Buffer.compare(right, nullKey) !== 0;
}

const nullKey = encodeScalar(null, "asc");
