import { Fault, StatusError } from "../../declare/errors.ts";
import type { Context } from "../../declare/context.ts";
import type { QueryPlan } from "../../declare/entity-query.ts";
import { pageDocuments, queryCombinations } from "../../lib/limits.ts";
import type { EntityStore, Filter, Query, Total, Document } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Scalar } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { usesRewrites, usesSearch } from "../capabilities.ts";
import { originOf } from "../calls/origin.ts";
import { messages } from "../error-messages.ts";
import type { Metrics } from "../observe/metrics/metrics.ts";
import { beginSpan, documentsAttribute, type SpanSink } from "../observe/span.ts";
import { refusing, type Refusals } from "../response/refusing.ts";
import { documentOf, indexedValueError } from "./document.ts";
import { hasRuledIndexes, withCurrentDocuments } from "./rewrite.ts";
import { searchedFields, unknownTerms } from "../../lib/derived-indexes.ts";
import { searchedTerms, wordsOf } from "../../lib/search-terms.ts";

/** Limit: documents on a page if the query has no limit. */
const queryPage = 20;

/** Limit: documents that `all` reads if its query has no limit. */
const mostDocuments = 10_000;

export interface QueryRequest {
  readonly reader: Pick<EntityStore, "query" | "count" | "total">;
  readonly entity: BundledEntity;
  readonly plan: QueryPlan;
  /** Returns the store, even inside a transaction. */
  readonly store: () => EntityStore;
  readonly metrics: Metrics | undefined;
  readonly ctx: Context;
  readonly spans: SpanSink | undefined;
  /** Adds the referenced documents to the documents of a page. */
  readonly complete: (documents: object[]) => Promise<object[]>;
}

function platformQuery({ entity, plan: { filters, orders, searches = [] } }: QueryRequest): Omit<Query, "limit"> {
  return {
    kind: entity.name,
    filters: [
      ...filters.map(platformFilter),
      ...(usesSearch ? searches.flatMap((text) => searchFilters(entity, text)) : []),
    ],
    // Drop an order by a field that an "==" filter fixes, because the field of a range must come first.
    orders: orders
      .filter(({ field }) => !filters.some((each) => each.field === field && each.operator === "=="))
      .map(({ field, direction }) => ({ property: field, direction })),
  };
}

/** Translates a filter. On a list field, "==" matches any element. */
function platformFilter({ field, operator, value }: QueryPlan["filters"][number]): Filter {
  if (value === undefined)
    throw new Fault(`where("${field}", "${operator}", undefined): cannot compare with undefined`);
  if (operator === "in") return { property: field, op: "in", value: value as readonly Scalar[] };
  return { property: field, op: operator === "contains" ? "==" : operator, value: value as Scalar };
}

/** Returns a query's limit. Throws a 400 if it is invalid, because it may come from a client. */
export function limitOf({ limit }: QueryPlan, otherwise: number): number {
  if (limit === undefined) return otherwise;
  if (!Number.isInteger(limit) || limit < 1 || limit > pageDocuments) {
    throw new StatusError(400, messages.queryLimit(pageDocuments));
  }
  return limit;
}

/** Reads all documents of a query, up to its limit. Throws a Fault if there are more than `mostDocuments`. */
export async function readAll(request: QueryRequest): Promise<object[]> {
  const { entity, plan } = request;
  const documents: object[] = [];
  const limit = limitOf(plan, mostDocuments + 1);
  for await (const document of readEach(request, limit)) documents.push(document);
  if (documents.length > mostDocuments)
    throw new Fault(
      `a query of "${entity.name}" has more than ${mostDocuments} results: read them with page() or each()`,
    );
  return documents;
}

export async function* readEach(
  request: QueryRequest,
  limit: number = limitOf(request.plan, Infinity),
): AsyncGenerator<object> {
  const { reader, entity, metrics, complete } = request;
  const query = platformQuery(request);
  let remaining = limit;
  let after: string | undefined;
  do {
    const size = Math.min(remaining, pageDocuments);
    const position = after === undefined ? {} : { after };
    const page = await ask(request, () => reader.query({ ...query, limit: size, ...position }));
    yield* await complete(page.documents.map((document) => documentOf(entity, document, metrics)));
    remaining -= page.documents.length;
    after = page.next;
  } while (after !== undefined && remaining > 0);
}

/** Reads one page of a query. An empty cursor starts at the first page. */
export async function readPage(
  request: QueryRequest,
  cursor: string | undefined,
): Promise<{ readonly items: object[]; readonly next?: string }> {
  const after = cursor === undefined || cursor === "" ? {} : { after: cursor };
  const { reader, entity, plan, metrics, complete } = request;
  const query = { ...platformQuery(request), limit: limitOf(plan, queryPage), ...after };
  const page = await ask(request, () => reader.query(query));
  const items = await complete(page.documents.map((document) => documentOf(entity, document, metrics)));
  return page.next === undefined ? { items } : { items, next: page.next };
}

export async function readCount(request: QueryRequest): Promise<number> {
  const { reader, plan } = request;
  const upTo = plan.limit === undefined ? undefined : limitOf(plan, 0);
  return ask(request, () => reader.count(platformQuery(request), upTo));
}

export async function readTotal(request: QueryRequest, field: string): Promise<Total> {
  return ask(request, () => request.reader.total(platformQuery(request), field));
}

/**
 * Queries the platform, and rewrites outdated documents if the result depends on them. Counts a misfit if the query
 * fails because of documents that do not fit their type.
 */
async function ask<T>(request: QueryRequest, query: () => Promise<T>): Promise<T> {
  const { entity, store, plan, metrics } = request;
  if (usesSearch && plan.searches !== undefined) await addUnknownTerms(store(), entity);
  const isRuled = usesRewrites && hasRuledIndexes(entity);
  try {
    return await refusing(queryRefusals, isRuled ? () => currentDocuments(request, query) : query);
  } catch (error) {
    if (isPlatformError(error, "unfit")) metrics?.misfit({ kind: "entity", name: entity.name });
    throw error;
  }
}

/** Runs a query. Rewriting gets its own span, because it can take much longer than the query. */
function currentDocuments<T>({ entity, store, ctx, spans }: QueryRequest, query: () => Promise<T>): Promise<T> {
  return withCurrentDocuments(store(), entity, {
    query,
    beginRewrite: (documents) =>
      beginSpan(spans, originOf(ctx).trace, {
        kind: "internal",
        name: `entity.rewrite ${entity.name}`,
        attributes: { [documentsAttribute]: documents },
      }),
  });
}

/**
 * The query errors that clients may see: an invalid cursor, too many or too large values to compare with, or an index
 * that is not complete yet.
 */
export const queryRefusals: Refusals = {
  filling: () => new StatusError(503, messages.indexFilling),
  cursor: () => new StatusError(400, messages.cursor),
  combinations: () => new StatusError(400, messages.queryValues(queryCombinations)),
  indexed: indexedValueError,
};

/** Limit: words in a text that a query searches for. */
const searchWords = 10;

/** Limit: terms in a text that a query searches for. In scripts without spaces, each pair of characters is a term. */
const searchTerms = 50;

/** Limit: documents without terms that a search rewrites itself; if there are more, it responds with 503. */
const unknownDocuments = 200;

/**
 * Returns the filters of a search, one for each term. Throws a 400 if there are too many words or terms, because the
 * text may come from a client.
 */
function searchFilters(entity: BundledEntity, text: unknown): readonly Filter[] {
  const property = propertyOf(entity);
  if (typeof text !== "string") throw new Fault(`search() of "${entity.name}" takes a string, not ${typeof text}`);
  const words = wordsOf(text);
  // Match nothing, because no document has an empty term.
  const terms = words.length === 0 ? [""] : searchedTerms(words);
  if (words.length > searchWords || terms.length > searchTerms)
    throw new StatusError(400, messages.searchWords(searchWords, searchTerms));
  return terms.map((term) => ({ property, op: "==", value: term }));
}

/**
 * Adds terms to documents that an older version wrote without them during an upgrade. Throws a 503 if there are too
 * many.
 */
async function addUnknownTerms(entities: EntityStore, entity: BundledEntity): Promise<void> {
  const filters: readonly Filter[] = [{ property: propertyOf(entity), op: "==", value: unknownTerms }];
  const query = { kind: entity.name, filters, orders: [], limit: unknownDocuments };
  const { documents, next } = await entities.query(query);
  if (next !== undefined) throw new StatusError(503, messages.indexFilling);
  await Promise.all(documents.map((document) => writeAgain(entities, entity.name, document)));
}

/**
 * Errors to ignore when rewriting a document: another request has written or deleted it, or no index can contain its
 * words, so no search finds it.
 */
const expected = ["conflict", "missing", "indexed", "too-large"] as const;

async function writeAgain(
  entities: EntityStore,
  kind: string,
  { id, fields, version, expires }: Document,
): Promise<void> {
  try {
    await entities.update({ kind, id }, fields, { version, ...(expires && { expires }) });
  } catch (error) {
    if (!expected.some((code) => isPlatformError(error, code))) throw error;
  }
}

function propertyOf({ name, indexed }: BundledEntity): string {
  const index = indexed.find((each) => searchedFields(each.name) !== undefined);
  if (index === undefined) throw new Fault(`search() of "${name}", which has no Search field`);
  return index.name;
}
