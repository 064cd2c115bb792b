import { StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { messages } from "../../runtime/error-messages.ts";
import type { OutgoingSubject, SpanOperation } from "../../runtime/observe/span.ts";

/** The maximum number of document ids that the console shows for a step. */
const namedIds = 20;

/** The maximum number of characters that the console shows of a filter's value. */
const valueCharacters = 60;

/** The query of a step, and the documents that the step read or wrote. */
export interface OperationDetails {
  readonly query?: QueryDetails;
  /** The number of documents, if known. */
  readonly documents?: number;
  /** The ids of the first documents. */
  readonly ids?: readonly string[];
  /** True if the query failed because fw is still filling an index that it needs. */
  readonly waitsForIndex?: true;
}

/** The shape of a query, and the values in its filters. */
export interface QueryDetails {
  readonly entity: string;
  readonly filters: readonly FilterDetails[];
  readonly orders: readonly { readonly field: string; readonly direction: "asc" | "desc" }[];
  readonly limit?: number;
}

interface QueryPlan {
  readonly entity: { readonly name: string };
  readonly filters: readonly PlannedFilter[];
  readonly orders: QueryDetails["orders"];
  readonly limit?: number;
}

interface FilterDetails {
  readonly field: string;
  readonly operator: "==" | "<" | "<=" | ">" | ">=" | "in" | "contains";
  /** The start of the value in JSON. */
  readonly value: string;
}

type PlannedFilter = Omit<FilterDetails, "value"> & { readonly value: unknown };

/** The parts of an operation that its details are built from. Contains no documents, declarations or large values. */
export interface CapturedOperation {
  readonly query: CapturedQuery | undefined;
  readonly documents: number | undefined;
  readonly ids: readonly string[];
  readonly waitsForIndex: boolean;
  /** The host and path of an outgoing request. */
  readonly target?: string;
}

interface CapturedQuery {
  readonly entity: string;
  readonly filters: readonly PlannedFilter[];
  readonly orders: QueryDetails["orders"];
  readonly limit: number | undefined;
}

/** The text of a value. It is created at once, because the value may be large or change later. */
class ShortText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const hiddenValue: ShortText = new ShortText("?");

/** Captures an operation on an entity, or an outgoing request; undefined for other operations. */
export function captureOperation(operation: SpanOperation): CapturedOperation | undefined {
  return capture(operation, true);
}

/** Captures an operation without the ids of documents, the values of filters and the path of a request. */
export function captureWithoutValues(operation: SpanOperation): CapturedOperation | undefined {
  return capture(operation, false);
}

/** Stands for the documents of an operation that failed. */
const unknownResult = null;

const noIds: readonly string[] = [];

function capture([args, result]: SpanOperation, hasValues: boolean): CapturedOperation | undefined {
  const [subject, second] = args;
  if (typeof subject !== "object" || subject === null) return undefined;
  if (isOutgoing(subject)) return captureOutgoing(subject, hasValues);
  const isQuery = "filters" in subject;
  if (!isQuery && !("kind" in subject && subject.kind === "entity")) return undefined;
  const failed = isA(result, Error);
  const documents = failed ? unknownResult : result;
  const id = !isQuery && typeof second === "string" ? second : undefined;
  return {
    query: isQuery ? captureQuery(subject as QueryPlan, hasValues) : undefined,
    documents: id === undefined ? countResult(documents) : countDocument(documents),
    ids: hasValues ? capturedIds(id, documents) : noIds,
    waitsForIndex: failed && isA(result, StatusError) && result.message === messages.indexFilling,
  };
}

function isOutgoing(subject: object): subject is OutgoingSubject {
  return "kind" in subject && subject.kind === "outgoing";
}

function captureOutgoing({ target }: OutgoingSubject, hasValues: boolean): CapturedOperation {
  const nothing = { query: undefined, documents: undefined, ids: noIds, waitsForIndex: false };
  return hasValues ? { ...nothing, target } : nothing;
}

function captureQuery({ entity, filters, orders, limit }: QueryPlan, hasValues: boolean): CapturedQuery {
  return { entity: entity.name, filters: captureFilters(filters, hasValues), orders, limit };
}

function captureFilters(filters: readonly PlannedFilter[], hasValues: boolean): readonly PlannedFilter[] {
  if (!hasValues) return filters.map(({ field, operator }) => ({ field, operator, value: hiddenValue }));
  return filters.every(({ value }) => isSmallValue(value)) ? filters : filters.map(shortenFilter);
}

function shortenFilter(filter: PlannedFilter): PlannedFilter {
  return { ...filter, value: new ShortText(shortText(filter.value)) };
}

function isSmallValue(value: unknown): boolean {
  if (typeof value === "string") return value.length <= valueCharacters;
  return typeof value === "number" || typeof value === "boolean" || value === null;
}

/** Counts the documents of a result, which may be a count, a page, a list, or a document. */
function countResult(result: unknown): number | undefined {
  if (typeof result === "number") return result;
  if (typeof result !== "object" || result === null) return result === undefined ? 0 : undefined;
  const items = itemsOf(result);
  return Array.isArray(items) ? countDocuments(items) : 1;
}

/** Returns the id that an operation names, otherwise the ids in its result. */
function capturedIds(id: string | undefined, result: unknown): readonly string[] {
  if (id !== undefined) return [id];
  if (typeof result !== "object" || result === null) return noIds;
  const items = itemsOf(result);
  return idsOf(Array.isArray(items) ? items : [items]);
}

/** Returns the list in a result; the result itself if it is a list or a document. */
function itemsOf(result: object): unknown {
  return "items" in result ? result.items : result;
}

function countDocument(result: unknown): number | undefined {
  if (result === unknownResult) return undefined;
  return result === undefined ? 0 : 1;
}

/** Counts the documents in a list, which has gaps for documents that were not found. */
function countDocuments(documents: readonly unknown[]): number {
  let count = 0;
  for (const document of documents) if (document !== undefined) count += 1;
  return count;
}

function idsOf(documents: readonly unknown[]): readonly string[] {
  const ids: string[] = [];
  for (let i = 0; i < documents.length && i < namedIds; i++) {
    const document = documents[i];
    if (typeof document !== "object" || document === null || !("id" in document)) continue;
    if (typeof document.id === "string") ids.push(document.id);
  }
  return ids;
}

export function operationBytes(operation: CapturedOperation | undefined): number {
  if (operation === undefined) return 0;
  const target = 2 * (operation.target?.length ?? 0);
  return 100 + 50 * operation.ids.length + 200 * (operation.query?.filters.length ?? 0) + target;
}

export function operationDetails({ query, documents, ids, waitsForIndex }: CapturedOperation): OperationDetails {
  return {
    ...(query && { query: queryDetails(query) }),
    ...(documents !== undefined && { documents }),
    ...(ids.length > 0 && { ids }),
    ...(waitsForIndex && { waitsForIndex }),
  };
}

function queryDetails({ entity, filters, orders, limit }: CapturedQuery): QueryDetails {
  return {
    entity,
    filters: filters.map(({ field, operator, value }) => ({
      field,
      operator,
      value: value instanceof ShortText ? value.text : shortText(value),
    })),
    orders,
    ...(limit !== undefined && { limit }),
  };
}

function shortText(value: unknown): string {
  const text = JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "bigint" ? String(member) : member,
  );
  return text.length <= valueCharacters ? text : `${text.slice(0, valueCharacters)}…`;
}
