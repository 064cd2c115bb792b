import type { Database, Row, SqlValue } from "../sqlite.ts";

/**
 * Pages through the rows of a query (keyset pagination). The query's first parameters are the key columns of the
 * previous page's last row; the key columns also come first in its result.
 */
export function* rowsOf(database: Database, sql: string, first: readonly SqlValue[]): Generator<Row> {
  const statement = database.prepare(sql);
  for (let after = first; ;) {
    const rows = statement.all(...after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.slice(0, first.length);
  }
}

/** Decodes bytes as text; returns undefined unless they are valid UTF-8. */
export function validText(bytes: SqlValue | undefined): string | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
