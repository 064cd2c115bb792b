import type { Order } from "../../contract.ts";
import type { Kind } from "../../definitions.ts";
import { decodeFields, storedValues } from "../../document.ts";
import { describedProperty, type PropertyReading } from "../../required-indexes.ts";
import { entryKeys } from "../index-entries.ts";
import type { Database } from "../sqlite.ts";

interface DescribedIndex {
  readonly ix: number;
  readonly kind: Kind;
  readonly properties: readonly Order[];
}

/**
 * Compares documents with the indexes in use. Reports every document that lacks an entry, and the number of extra
 * entries.
 */
export function* indexProblems(database: Database): Generator<string> {
  const indexes = database.prepare("SELECT ix, properties FROM indexes WHERE ready IN (1, 2) ORDER BY ix").all();
  for (const [ix, identity] of indexes) yield* differences(database, describe(Number(ix), String(identity)));
}

/** Parses the identity of an index, which contains everything that its entries depend on. */
function describe(ix: number, identity: string): DescribedIndex {
  const [kind, parts] = JSON.parse(identity) as [string, [string, Order["direction"], PropertyReading][]];
  const indexed = new Map(parts.map(([name, , reading]) => [name, describedProperty(name, reading)]));
  const properties = parts.map(([property, direction]) => ({ property, direction }));
  return { ix, kind: { kind, properties: [], composites: [], indexed, unique: [] }, properties };
}

function* differences(database: Database, { ix, kind, properties }: DescribedIndex): Generator<string> {
  // Whether a document is outdated depends on the code that wrote it, so these entries cannot be checked.
  if ([...kind.indexed.values()].some(({ outdated }) => outdated !== undefined)) return;
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
        yield `${name} has no entry for the document ${JSON.stringify(id)}`;
    }
    if (rows.length === 0) break;
    after = String(rows.at(-1)?.[0]);
  }
  const actual = Number(database.prepare("SELECT count(*) FROM entries WHERE ix = ?").get(ix)?.[0]);
  if (actual > expected) yield `${name} has ${actual - expected} extra entries`;
}

/** Returns a document's keys in an index; none if the document is unreadable, which `documentProblems` reports. */
function keysOf(kind: Kind, properties: readonly Order[], id: string, body: string): Buffer[] {
  try {
    return entryKeys(properties, storedValues(kind, id, decodeFields(body)));
  } catch {
    return [];
  }
}
