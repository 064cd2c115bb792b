import { decodeFields } from "../../document.ts";
import type { Fields } from "../../values.ts";
import type { Database } from "../sqlite.ts";
import { rowsOf } from "./rows.ts";

/** The application's types for stored data. */
export interface TypeCheck {
  /** Returns why a document does not fit its type; undefined if it fits or no entity has this kind. */
  document(kind: string, id: string, fields: Fields): string | undefined;
  /** Returns why a message does not fit its type; undefined if it fits. `destination` looks like `queue:emails`. */
  message(destination: string, body: string): string | undefined;
  /** Observations about all checked data. */
  notes(): readonly string[];
}

/** Finds documents and waiting messages that do not fit the application's types. */
export function* typeProblems(database: Database, types: TypeCheck): Generator<string> {
  const documents = "SELECT kind, id, body FROM documents WHERE (kind, id) > (?, ?) ORDER BY kind, id LIMIT 500";
  for (const [kind, id, body] of rowsOf(database, documents, ["", ""])) {
    const problem = types.document(String(kind), String(id), decodeFields(String(body)));
    if (problem !== undefined) yield problem;
  }
  const messages = "SELECT n, carrier, body FROM messages WHERE n > ? ORDER BY n LIMIT 500";
  for (const [n, destination, body] of rowsOf(database, messages, [-1])) {
    const problem = types.message(String(destination), String(body));
    if (problem !== undefined) yield `the message ${Number(n)}: ${problem}`;
  }
}
