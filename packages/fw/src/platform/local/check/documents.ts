import { decodeFields, isStorableId } from "../../document.ts";
import type { Database, SqlValue } from "../sqlite.ts";
import { rowsOf, validText } from "./rows.ts";

/** Finds documents that cannot be read or that fw cannot have written. */
export function* documentProblems(database: Database): Generator<string> {
  const columns = "CAST(kind AS BLOB), CAST(id AS BLOB), version, CAST(body AS BLOB)";
  const last = Number(database.prepare("SELECT value FROM numbers WHERE name = 'version'").get()?.[0]);
  const all = "SELECT kind, id FROM documents WHERE (kind, id) > (?, ?) ORDER BY kind, id LIMIT 500";
  const one = database.prepare(`SELECT ${columns} FROM documents WHERE kind = ? AND id = ?`);
  for (const [kind, id] of rowsOf(database, all, ["", ""])) {
    const name = `the document ${JSON.stringify(id)} of ${JSON.stringify(kind)}`;
    const row = one.get(kind as SqlValue, id as SqlValue);
    const problem = row === undefined ? "cannot be found by its key" : documentProblem(row, last);
    if (problem !== undefined) yield `${name} ${problem}`;
  }
}

function documentProblem([, id, version, body]: readonly SqlValue[], last: number): string | undefined {
  const [name, text] = [validText(id), validText(body)];
  if (name === undefined || !isStorableId(name)) return "has an id that no document can have";
  if (typeof version !== "number" || version > last) return "has a version higher than the last one";
  if (text === undefined) return "is not valid UTF-8";
  try {
    decodeFields(text);
    return undefined;
  } catch {
    return "is not valid JSON";
  }
}
