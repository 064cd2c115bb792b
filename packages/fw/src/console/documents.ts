import { StatusError } from "../declare/errors.ts";
import { newId } from "../lib/new-id.ts";
import { pathStep } from "../lib/path-step.ts";
import { isRecord } from "../lib/record-in.ts";
import { decodeUntrusted, encodeTagged, untagUntrusted } from "../lib/tagged-json.ts";
import type { DocumentForm } from "../generate/document-forms.ts";
import { messageOf } from "../lib/thrown.ts";
import { storedId, tenantProperty } from "../lib/tenant-fields.ts";
import type { Document, Filter, Key, Order, Query } from "../platform/contract.ts";
import { isPlatformError, PlatformError } from "../platform/errors.ts";
import { readDefinitions, type Kind } from "../platform/definitions.ts";
import type { InspectedPlatform } from "../platform/local/open.ts";
import { planQuery } from "../platform/query-plan.ts";
import type { Fields, Value } from "../platform/values.ts";
import { transact } from "../platform/transact.ts";
import { followReferenceRules, recordWrites } from "../runtime/entity/reference-rules.ts";
import { messages } from "../runtime/error-messages.ts";
import { withoutTenant, withTenant, type DocumentStore } from "../runtime/tenant/confined-store.ts";
import { isTenantId } from "../runtime/tenant/tenant-context.ts";
import { conditionValue } from "./condition-value.ts";
import { decodeJson } from "./decode-json.ts";
import { list, optionalText, text, wrongValue, BadInput, type Input } from "./input.ts";
import { data, type ConsoleParts } from "./parts.ts";
import { indexFields } from "./query-indexes.ts";

const pageSize = 50;

const maxValues = 100_000;

const comparisons: ReadonlySet<string> = new Set(["==", "contains", "<", "<=", ">", ">="]);

/**
 * Returns a page of documents and their total number, the conditions as they appear in code, and the indexes that the
 * query uses. With an id, returns just the document with this id, if it exists.
 */
export async function findDocuments(input: Input, parts: ConsoleParts): Promise<unknown> {
  const { platform, kind } = await entityOf(input, parts);
  const id = optionalText(input, "id");
  if (id !== undefined && id !== "") {
    const document = await platform.entities.get({ kind: kind.kind, id });
    return { documents: document === undefined ? [] : [document], count: document === undefined ? 0 : 1, indexes: [] };
  }
  const query = queryOf(input, kind);
  const { indexes } = planQuery(kind, query);
  const { documents, next } = await platform.entities.query(query);
  return {
    documents,
    ...(next !== undefined && { next }),
    count: await platform.entities.count({ kind: kind.kind, filters: query.filters, orders: query.orders }),
    indexes: indexFields(indexes),
    conditions: query.filters
      .filter(({ property }) => property !== tenantProperty)
      .map((each) => conditionOf(each, kind)),
  };
}

/** Returns a filter as it appears in code: on a list, equality means that the list contains the value. */
function conditionOf({ property, op, value }: Filter, { indexed }: Kind): object {
  return { property, op: op === "==" && indexed.get(property)?.many === true ? "contains" : op, value };
}

/** The maximum number of documents of an entity to count for the list of entities. */
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

function queryOf(input: Input, kind: Kind): Required<Pick<Query, "filters" | "orders">> & Query {
  const after = optionalText(input, "after");
  const ofTenant: readonly Filter[] =
    optionalText(input, "tenant") === undefined ? [] : [{ property: tenantProperty, op: "==", value: tenantOf(input) }];
  return {
    kind: kind.kind,
    filters: [...ofTenant, ...list(input, "filters").map((each) => filter(each, kind))],
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
  const fields = fieldsOf(input, { parts, kind, id, tenant, oldFields: {} });
  await followingRules(parts, (store) => store.insert(key, fields));
  return { id };
}

/** Replaces the fields of a document, but not its tenant. Throws if the document has changed since the page read it. */
export async function saveDocument(input: Input, parts: ConsoleParts): Promise<void> {
  const { kind } = await entityOf(input, parts);
  const key = { kind: kind.kind, id: text(input, "id") };
  const version = text(input, "version");
  await followingRules(parts, async (store) => {
    const oldFields = await requireVersion(store, key, version);
    await store.update(key, fieldsOf(input, { parts, kind, id: key.id, tenant: oldFields[tenantProperty], oldFields }));
  });
}

/**
 * Writes documents in a transaction that follows the rules of references, as the writes of handlers do. Otherwise a
 * delete would leave references to a document that does not exist.
 */
async function followingRules(parts: ConsoleParts, write: (store: DocumentStore) => Promise<unknown> | void) {
  const platform = await data(parts);
  try {
    await transact(platform, async (transaction) => {
      await write(recordWrites(transaction));
      await followReferenceRules({ entities: parts.references(), committed: platform.entities }, transaction);
    });
  } catch (error) {
    throw error instanceof OutdatedVersion ? new PlatformError("conflict", error.message) : withField(error, parts);
  }
}

/**
 * Adds the field's name to an error about a value that is taken or refers to a missing document. Returns other errors
 * unchanged.
 */
function withField(error: unknown, { references }: ConsoleParts): unknown {
  const problem = messageOf(error);
  if (isPlatformError(error, "taken")) return wrongValue([{ at: error.subject ?? "", problem }]);
  if (!(error instanceof StatusError)) return error;
  const fields = [...references()].flatMap(({ refs = [] }) => refs.map(({ field }) => field));
  const at = fields.find((field) => messages.missingReferred(field) === problem);
  return at === undefined ? error : wrongValue([{ at, problem }]);
}

/** Signals a change since the page read a document. Unlike a `conflict`, it does not repeat the transaction. */
class OutdatedVersion extends Error {}

/** Returns the fields of a document. Throws if it has changed since the page read it. */
async function requireVersion(store: DocumentStore, key: Key, version: string): Promise<Fields> {
  const document = await store.get(key);
  if (document?.version === version) return document.fields;
  throw new OutdatedVersion(
    `${key.kind} ${JSON.stringify(key.id)} has changed since it was shown; find it again and repeat your change`,
  );
}

export async function locateDocument(input: Input, parts: ConsoleParts): Promise<unknown> {
  const id = text(input, "id");
  const { entities } = await data(parts);
  const kinds = [...readDefinitions(parts.definitions()).values()].filter(({ framework }) => !framework);
  const documents = await entities.getMany(kinds.map(({ kind }) => ({ kind, id })));
  return { entities: kinds.filter((_kind, i) => documents[i] !== undefined).map(({ kind }) => kind) };
}

/** The maximum number of pages of documents to search, and the maximum number of results. */
const searchPages = 10;
const searchResults = 20;

/**
 * Finds the document with an id, and documents that contain a text, ignoring case. Searches only the first documents of
 * an entity. Returns ids within their tenant.
 */
export async function searchDocuments(input: Input, parts: ConsoleParts): Promise<unknown> {
  const { platform, kind } = await entityOf(input, parts);
  const words = optionalText(input, "text") ?? "";
  const tenant = kind.indexed.has(tenantProperty) ? tenantOf(input) : undefined;
  const exact = await documentWithId(platform, { kind: kind.kind, id: storedId(tenant, words) });
  return await summariesWith({ words, tenant, exact }, platform, queryOf({ kind: kind.kind, tenant }, kind));
}

interface DocumentSearch {
  readonly words: string;
  readonly tenant: string | undefined;
  /** The document whose id equals the words; undefined if there is none. */
  readonly exact: Document | undefined;
}

/** Finds `exact`, if there is one, and the query's first documents with the words in their ids or summaries. */
async function summariesWith(
  { words, tenant, exact }: DocumentSearch,
  { entities }: InspectedPlatform,
  query: Query,
): Promise<{ readonly documents: readonly Summary[]; readonly isPartial: boolean }> {
  const results = exact === undefined ? [] : [summaryOf(exact, tenant)];
  for (let page = 1, after: string | undefined; ; page++) {
    const { documents, next } = await entities.query({ ...query, ...(after !== undefined && { after }) });
    const others = documents.filter(({ id }) => id !== exact?.id).map((each) => summaryOf(each, tenant));
    results.push(...others.filter((each) => contains(each, words)));
    const isPartial = results.length > searchResults || (next !== undefined && page === searchPages);
    if (isPartial || next === undefined) return { documents: results.slice(0, searchResults), isPartial };
    after = next;
  }
}

/** A document's id within its tenant, and its values as one line of text. */
interface Summary {
  readonly id: string;
  readonly summary: string;
}

function summaryOf({ id, fields }: Document, tenant: string | undefined): Summary {
  const own = Object.entries(fields).filter(([name]) => !name.startsWith("@"));
  const values = own.map(([name, value]) => `${name}: ${textOf(value)}`);
  return { id: tenant === undefined ? id : id.slice(tenant.length + 1), summary: values.join(", ") };
}

function textOf(value: Value | undefined): string {
  if (typeof value === "string") return value;
  return value instanceof Date ? value.toISOString() : encodeTagged(value);
}

/** Returns a document; undefined if there is none, or no document can have the id. */
async function documentWithId({ entities }: InspectedPlatform, key: Key): Promise<Document | undefined> {
  try {
    return await entities.get(key);
  } catch (error) {
    if (isPlatformError(error, "key")) return undefined;
    throw error;
  }
}

function contains({ id, summary }: Summary, words: string): boolean {
  return [id, summary].some((text) => text.toLowerCase().includes(words.toLowerCase()));
}

interface WrittenDocument {
  readonly parts: ConsoleParts;
  readonly kind: Kind;
  readonly id: string;
  /** Undefined for a document that belongs to no tenant. */
  readonly tenant: Value | undefined;
  /** The fields before the change; empty for a new document. */
  readonly oldFields: Fields;
}

function tenantOf(input: Input): string {
  const tenant = optionalText(input, "tenant") ?? "";
  if (!isTenantId(tenant)) throw new BadInput("name the tenant that the document belongs to");
  return tenant;
}

/** Returns the fields of a document to write. Refuses fields that handlers could not read. */
function fieldsOf(input: Input, { parts, kind: { kind, indexed }, id, tenant, oldFields }: WrittenDocument): Fields {
  const form = parts.model()?.documents?.find(({ entity }) => entity === kind);
  const json = text(input, "json");
  const fields = form === undefined ? decodeFields(json) : typedFields(form, json, oldFields);
  if (!isRecord(fields)) throw new BadInput("a document must be an object");
  const own = indexed.has(tenantProperty) ? withoutTenant(fields as Fields) : (fields as Fields);
  const newFields =
    typeof tenant === "string" ? withTenant({ name: kind, indexed: [...indexed.values()] }, tenant, own) : own;
  const problem = parts.documentProblem(kind, id, newFields);
  if (problem !== undefined) throw new BadInput(problem);
  return newFields;
}

/** Converts a value to the JSON of a request, with dates as strings. */
function asRequested(value: unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "no date" : value.toISOString();
  if (Array.isArray(value)) return value.map(asRequested);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asRequested(member)]));
}

/**
 * Decodes a document with the constraints of its type. A stored field that the type no longer has keeps its value
 * unless `json` omits it.
 */
function typedFields({ entity, fields, decoder }: DocumentForm, json: string, oldFields: Fields): unknown {
  let names: readonly string[] = [];
  const decoded = decodeJson(decoder, json, (value) => {
    const plain = asRequested(untagUntrusted(value, maxValues));
    if (isRecord(plain)) names = Object.keys(plain);
    return plain;
  });
  if ("problems" in decoded) throw wrongValue(decoded.problems);
  const others = fields === undefined ? [] : names.filter((name) => !fields.includes(name) && !name.startsWith("@"));
  const unknown = others.filter((name) => oldFields[name] === undefined);
  if (unknown.length > 0)
    throw wrongValue(
      unknown.map((name) => ({ at: memberPath(name), problem: `the type of ${entity} has no such field` })),
    );
  return {
    ...(decoded.value as Fields),
    ...Object.fromEntries(others.map((name) => [name, oldFields[name] as Value])),
  };
}

/** Formats the path to a member as decoders do. */
function memberPath(name: string): string {
  return pathStep(name).replace(/^\./, "");
}

function decodeFields(json: string): unknown {
  try {
    return decodeUntrusted(json, maxValues);
  } catch (error) {
    throw new BadInput(`the document cannot be read: ${messageOf(error)}`);
  }
}

/** Deletes a document. Throws if it has changed since the page read it. */
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

function filter(input: Input, { properties }: Kind): Filter {
  const [property, op, value] = [text(input, "property"), text(input, "op"), text(input, "value")];
  if (!comparisons.has(op)) throw new BadInput(`"${op}" is not a comparison`);
  const type = properties.find(({ name }) => name === property)?.type;
  return { property, op: op === "contains" ? "==" : (op as "=="), value: conditionValue(property, value, type) };
}

function order(input: Input): Order {
  const direction = text(input, "direction");
  return { property: text(input, "property"), direction: direction === "desc" ? "desc" : "asc" };
}
