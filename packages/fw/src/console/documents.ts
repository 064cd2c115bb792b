import { decodeUntrusted } from "../lib/tagged-json.ts";
import type { Filter, Order, Query } from "../platform/contract.ts";
import { readDefinitions, type Kind } from "../platform/definitions.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { planQuery } from "../platform/query-plan.ts";
import type { Fields, Scalar } from "../platform/values.ts";
import { list, optionalText, text, WrongUse, type Given } from "./given.ts";
import { data, type ConsoleParts } from "./parts.ts";

/** Documents of a page. */
const pageSize = 50;

/** Values that a document can have here, at most. */
const mostValues = 100_000;

const comparisons: ReadonlySet<string> = new Set(["==", "<", "<=", ">", ">="]);

/** A page of documents with the indexes that find them. Values are as `lib/tagged-json.ts` has them. */
export async function findDocuments(given: Given, parts: ConsoleParts): Promise<unknown> {
  const { platform, kind } = await place(given, parts);
  const after = optionalText(given, "after");
  const filters = list(given, "filters").map(filter);
  const orders = list(given, "orders").map(order);
  const query: Query = { kind: kind.kind, filters, orders, limit: pageSize, ...(after !== undefined && { after }) };
  const { indexes } = planQuery(kind, query);
  const { documents, next } = await platform.entities.query(query);
  return {
    documents,
    ...(next !== undefined && { next }),
    count: await platform.entities.count({ kind: kind.kind, filters, orders }),
    indexes: indexes.map(({ properties }) =>
      properties.map(({ property, direction }) => (properties.length === 1 ? property : `${property} ${direction}`)),
    ),
  };
}

/** Replaces a document that is still what was read. */
export async function saveDocument(given: Given, parts: ConsoleParts): Promise<void> {
  const { platform, kind } = await place(given, parts);
  const fields = decodeUntrusted(text(given, "json"), mostValues);
  if (typeof fields !== "object" || fields === null || Array.isArray(fields) || fields instanceof Date)
    throw new WrongUse("a document is an object");
  const version = text(given, "version");
  await platform.entities.update({ kind: kind.kind, id: text(given, "id") }, fields as Fields, { version });
}

export async function deleteDocument(given: Given, parts: ConsoleParts): Promise<void> {
  const { platform, kind } = await place(given, parts);
  const version = text(given, "version");
  await platform.entities.delete({ kind: kind.kind, id: text(given, "id") }, { version });
}

/** Only the application's own entities: what the framework keeps has secrets in it. */
async function place(given: Given, parts: ConsoleParts): Promise<{ platform: LocalPlatform; kind: Kind }> {
  const name = text(given, "kind");
  const kind = readDefinitions(parts.definitions()).get(name);
  if (kind === undefined || kind.framework) throw new WrongUse(`there is no entity "${name}"`);
  return { platform: await data(parts), kind };
}

function filter(given: Given): Filter {
  const [property, op, json] = [text(given, "property"), text(given, "op"), text(given, "value")];
  if (!comparisons.has(op)) throw new WrongUse(`"${op}" compares nothing`);
  return { property, op: op as "==", value: scalar(json) };
}

/** JSON where it is some, else a text: who types `open` means "open". */
function scalar(json: string): Scalar {
  try {
    const value = decodeUntrusted(json, 2);
    if (typeof value !== "object" || value === null || value instanceof Date) return value as Scalar;
  } catch {
    // Then it is a text.
  }
  return json;
}

function order(given: Given): Order {
  const direction = text(given, "direction");
  return { property: text(given, "property"), direction: direction === "desc" ? "desc" : "asc" };
}
