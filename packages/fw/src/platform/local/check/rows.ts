import type { Database, Row, SqlValue } from "../sqlite.ts";

/**
 * Pages through the rows of a query (keyset pagination). The query takes the key of the last row so far as its
 * parameters, and returns each row's key in its first columns.
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
