import type { Database, Row, SqlValue } from "../sqlite.ts";

/** The rows of a query that begins after its first values, which are the first columns of its last row, page by page. */
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

/** The text of bytes; undefined where they are no UTF-8. */
export function wholeText(bytes: SqlValue | undefined): string | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
