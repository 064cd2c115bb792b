import { addressKey } from "../../account-fields.ts";
import type { Database } from "../sqlite.ts";
import { rowsOf, validText } from "./rows.ts";

/** A table with numbered rows, and a function that checks one row. */
interface Table {
  readonly name: string;
  readonly row: string;
  readonly columns: readonly string[];
  readonly problem: (texts: readonly (string | undefined)[]) => string | undefined;
}

const tables: readonly Table[] = [
  { name: "messages", row: "message", columns: ["carrier", "receiver", "id", "body"], problem: messageProblem },
  {
    name: "dead_letters",
    row: "dead message",
    columns: ["carrier", "receiver", "id", "body"],
    problem: messageProblem,
  },
  { name: "accounts", row: "account", columns: ["email", "address", "claims"], problem: accountProblem },
];

/** Finds messages, dead messages and accounts that cannot be read. */
export function* recordProblems(database: Database): Generator<string> {
  for (const { name, row, columns, problem } of tables) {
    const bytes = columns.map((column) => `CAST(${column} AS BLOB)`).join(", ");
    for (const [n, ...values] of rowsOf(database, `SELECT n, ${bytes} FROM ${name} WHERE n > ? LIMIT 500`, [-1])) {
      const defect = problem(values.map(validText));
      if (defect !== undefined) yield `the ${row} ${Number(n)} ${defect}`;
    }
  }
}

function messageProblem([destination, consumer, id, body]: readonly (string | undefined)[]): string | undefined {
  if (destination === undefined || consumer === undefined || id === undefined || body === undefined)
    return "is not valid UTF-8";
  if (!/^(?:queue|topic|job|event):./s.test(destination)) return "has an unknown kind of destination";
  return isJson(body) ? undefined : "is not valid JSON";
}

function accountProblem([email, address, claims]: readonly (string | undefined)[]): string | undefined {
  if (email === undefined || address === undefined || claims === undefined) return "is not valid UTF-8";
  if (addressKey(email) !== address) return "cannot be found by its address";
  return isJson(claims) ? undefined : "has claims that are not valid JSON";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
