import type { Order } from "../../contract.ts";
import type { Kind, Property } from "../../definitions.ts";
import { decodeFields, storedValues } from "../../document.ts";
import { entryKeys } from "../index-entries.ts";
import type { Database } from "../sqlite.ts";

/** An index as its row tells it. */
interface DescribedIndex {
  readonly ix: number;
  readonly kind: Kind;
  readonly properties: readonly Order[];
}

/** What differs between the documents and the entries of the indexes that answer queries, one sentence a document. */
export function* indexProblems(database: Database): Generator<string> {
  const indexes = database.prepare("SELECT ix, properties FROM indexes WHERE ready > 0 ORDER BY ix").all();
  for (const [ix, identity] of indexes) yield* differences(database, describe(Number(ix), String(identity)));
}

/** The identity of an index is all that its entries depend on. */
function describe(ix: number, identity: string): DescribedIndex {
  const [kind, parts] = JSON.parse(identity) as [string, [string, Order["direction"], boolean | "key"][]];
  const indexed = new Map(
    parts.map(([name, , many]): [string, Property] => [
      name,
      { name, path: name.split("."), many: many === true, key: many === "key", unique: false },
    ]),
  );
  const properties = parts.map(([property, direction]) => ({ property, direction }));
  return { ix, kind: { kind, properties: [], composites: [], indexed, unique: [] }, properties };
}

function* differences(database: Database, { ix, kind, properties }: DescribedIndex): Generator<string> {
  const name = `the index of ${kind.kind} over (${properties.map(({ property }) => property).join(", ")})`;
  const documents = database.prepare("SELECT id, body FROM documents WHERE kind = ? AND id > ? ORDER BY id LIMIT 500");
  const entry = database.prepare("SELECT 1 FROM entries WHERE ix = ? AND key = ? AND id = ?");
  let expected = 0;
  for (let after = ""; ;) {
    const rows = documents.all(kind.kind, after);
    for (const [id, body] of rows) {
      const keys = keysOf(kind, properties, String(id), String(body));
      expected += keys.length;
      if (keys.some((key) => entry.get(ix, key, String(id)) === undefined))
        yield `${name} lacks the document ${JSON.stringify(id)}`;
    }
    if (rows.length === 0) break;
    after = String(rows.at(-1)?.[0]);
  }
  const found = Number(database.prepare("SELECT count(*) FROM entries WHERE ix = ?").get(ix)?.[0]);
  if (found > expected) yield `${name} has ${found - expected} entries too many`;
}

/** None of a document that cannot be read, which is another problem. */
function keysOf(kind: Kind, properties: readonly Order[], id: string, body: string): Buffer[] {
  try {
    return entryKeys(properties, storedValues(kind, id, decodeFields(body)));
  } catch {
    return [];
  }
}
