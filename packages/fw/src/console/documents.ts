import { newId } from "../lib/new-id.ts";
import { decodeUntrusted } from "../lib/tagged-json.ts";
import { storedId, tenantProperty } from "../lib/tenant-fields.ts";
import type { Filter, Key, Order, Query } from "../platform/contract.ts";
import { readDefinitions, type Kind } from "../platform/definitions.ts";
import type { InspectedPlatform } from "../platform/local/open.ts";
import { planQuery } from "../platform/query-plan.ts";
import type { Fields, Scalar, Value } from "../platform/values.ts";
import { transact } from "../platform/transact.ts";
import { followReferenceRules, recordWrites } from "../runtime/entity/reference-rules.ts";
import { withoutTenant, withTenant, type DocumentStore } from "../runtime/tenant/confined-store.ts";
import { isTenantId } from "../runtime/tenant/tenant-context.ts";
import { list, optionalText, text, BadInput, type Input } from "./input.ts";
import { data, type ConsoleParts } from "./parts.ts";
import { indexFields } from "./query-indexes.ts";

const pageSize = 50;

const maxValues = 100_000;

const comparisons: ReadonlySet<string> = new Set(["==", "<", "<=", ">", ">="]);

/** Returns a page of documents and the indexes that the query uses. Encodes values as in `lib/tagged-json.ts`. */
export async function findDocuments(input: Input, parts: ConsoleParts): Promise<unknown> {
  const { platform, kind } = await entityOf(input, parts);
  const query = queryOf(input, kind);
  const { indexes } = planQuery(kind, query);
  const id = optionalText(input, "id");
  if (id !== undefined && id !== "") {
    const document = await platform.entities.get({ kind: kind.kind, id });
    return { documents: document === undefined ? [] : [document], count: document === undefined ? 0 : 1, indexes: [] };
  }
  const { documents, next } = await platform.entities.query(query);
  return {
    documents,
    ...(next !== undefined && { next }),
    count: await platform.entities.count({ kind: kind.kind, filters: query.filters, orders: query.orders }),
    indexes: indexFields(indexes),
  };
}

/** The most documents of an entity to count for the list of entities. */
const countedDocuments = 100_000;

/** Returns the number of documents of each entity, up to a limit. */
export async function countDocuments(_input: Input, parts: ConsoleParts): Promise<unknown> {
  const { entities } = await data(parts);
  const kinds = [...readDefinitions(parts.definitions()).values()].filter(({ framework }) => !framework);
  const counts = await Promise.all(
    kinds.map(async ({ kind }) => {
      const count = await entities.count({ kind, filters: [], orders: [] }, countedDocuments);
      return [kind, { count, isAtLeast: count >= countedDocuments }] as const;
    }),
  );
  return Object.fromEntries(counts);
}

function queryOf(input: Input, { kind }: Kind): Required<Pick<Query, "filters" | "orders">> & Query {
  const after = optionalText(input, "after");
  return {
    kind,
    filters: list(input, "filters").map(filter),
    orders: list(input, "orders").map(order),
    limit: pageSize,
    ...(after !== undefined && { after }),
  };
}

/** Stores a new document, by default with a new id, and returns its id. */
export async function createDocument(input: Input, parts: ConsoleParts): Promise<unknown> {
  const { kind } = await entityOf(input, parts);
  const requestedId = optionalText(input, "id");
  const ownId = requestedId === undefined || requestedId === "" ? newId() : requestedId;
  const tenant = kind.indexed.has(tenantProperty) ? tenantOf(input) : undefined;
  const id = storedId(tenant, ownId);
  const key = { kind: kind.kind, id };
  const fields = fieldsOf(input, { parts, kind, id, tenant });
  await followingRules(parts, (store) => store.insert(key, fields));
  return { id };
}

/** Replaces a document of the same tenant, or of none, unless it has changed since the page read it. */
export async function saveDocument(input: Input, parts: ConsoleParts): Promise<void> {
  const { kind } = await entityOf(input, parts);
  const key = { kind: kind.kind, id: text(input, "id") };
  const version = text(input, "version");
  await followingRules(parts, async (store) => {
    const { [tenantProperty]: tenant } = await requireVersion(store, key, version);
    await store.update(key, fieldsOf(input, { parts, kind, id: key.id, tenant }));
  });
}

/**
 * Writes documents in a transaction that follows the rules of references, like the writes of handlers: otherwise a
 * delete would leave references to a document that does not exist.
 */
async function followingRules(parts: ConsoleParts, write: (store: DocumentStore) => Promise<unknown> | void) {
  const platform = await data(parts);
  await transact(platform, async (transaction) => {
    await write(recordWrites(transaction));
    await followReferenceRules({ entities: parts.references(), committed: platform.entities }, transaction);
  });
}

/** Returns the fields of a document. Refuses to write one that has changed since the page read it. */
async function requireVersion(store: DocumentStore, key: Key, version: string): Promise<Fields> {
  const document = await store.get(key);
  if (document?.version === version) return document.fields;
  throw new BadInput(`${key.kind} ${JSON.stringify(key.id)} has changed since it was read`);
}

/** Returns the entities that have a document with an id. */
export async function locateDocument(input: Input, parts: ConsoleParts): Promise<unknown> {
  const id = text(input, "id");
  const { entities } = await data(parts);
  const kinds = [...readDefinitions(parts.definitions()).values()].filter(({ framework }) => !framework);
  const documents = await entities.getMany(kinds.map(({ kind }) => ({ kind, id })));
  return { entities: kinds.filter((_kind, i) => documents[i] !== undefined).map(({ kind }) => kind) };
}

interface WrittenDocument {
  readonly parts: ConsoleParts;
  readonly kind: Kind;
  readonly id: string;
  /** Undefined for a document that belongs to no tenant. */
  readonly tenant: Value | undefined;
}

function tenantOf(input: Input): string {
  const tenant = optionalText(input, "tenant") ?? "";
  if (!isTenantId(tenant)) throw new BadInput("name the tenant that the document belongs to");
  return tenant;
}

/** Returns the fields of a document to write. Refuses fields that handlers could not read. */
function fieldsOf(input: Input, { parts, kind: { kind, indexed }, id, tenant }: WrittenDocument): Fields {
  const fields = decodeUntrusted(text(input, "json"), maxValues);
  if (typeof fields !== "object" || fields === null || Array.isArray(fields) || fields instanceof Date)
    throw new BadInput("a document must be an object");
  const own = indexed.has(tenantProperty) ? withoutTenant(fields as Fields) : (fields as Fields);
  const stored =
    typeof tenant === "string" ? withTenant({ name: kind, indexed: [...indexed.values()] }, tenant, own) : own;
  const problem = parts.documentProblem(kind, id, stored);
  if (problem !== undefined) throw new BadInput(problem);
  return stored;
}

/** Deletes a document unless it has changed since the page read it. */
export async function deleteDocument(input: Input, parts: ConsoleParts): Promise<void> {
  const { kind } = await entityOf(input, parts);
  const key = { kind: kind.kind, id: text(input, "id") };
  const version = text(input, "version");
  await followingRules(parts, async (store) => {
    await requireVersion(store, key, version);
    await store.delete(key);
  });
}

/** Finds an entity of the application. Refuses documents of the framework, which contain secrets. */
async function entityOf(input: Input, parts: ConsoleParts): Promise<{ platform: InspectedPlatform; kind: Kind }> {
  const name = text(input, "kind");
  const kind = readDefinitions(parts.definitions()).get(name);
  if (kind === undefined || kind.framework) throw new BadInput(`there is no entity "${name}"`);
  return { platform: await data(parts), kind };
}

function filter(input: Input): Filter {
  const [property, op, json] = [text(input, "property"), text(input, "op"), text(input, "value")];
  if (!comparisons.has(op)) throw new BadInput(`"${op}" is not a comparison`);
  return { property, op: op as "==", value: scalar(json) };
}

/** Parses JSON. Other text is a string, so that a user can type `open` instead of `"open"`. */
function scalar(json: string): Scalar {
  try {
    const value = decodeUntrusted(json, 2);
    if (typeof value !== "object" || value === null || value instanceof Date) return value as Scalar;
  } catch {
    // Not JSON: use the text itself.
  }
  return json;
}

function order(input: Input): Order {
  const direction = text(input, "direction");
  return { property: text(input, "property"), direction: direction === "desc" ? "desc" : "asc" };
}
