import { StatusError } from "../../declare/errors.ts";
import { isA } from "../../lib/thrown.ts";
import { messages } from "../../runtime/error-messages.ts";
import type { OutgoingSubject, SpanOperation } from "../../runtime/observe/span.ts";

/** The maximum number of document ids that the console shows for a step. */
const namedIds = 20;

/** The maximum number of characters that the console shows of a filter's value. */
const valueCharacters = 60;

/** The documents that a step of a request read or wrote. */
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
  const [args, result] = operation;
  if (isOutgoing(args[0]))
    return { query: undefined, documents: undefined, ids: [], waitsForIndex: false, target: args[0].target };
  const parts = captureParts(args, isA(result, Error) ? unknownResult : result);
  return parts && { ...parts, waitsForIndex: isA(result, StatusError) && result.message === messages.indexFilling };
}

function isOutgoing(subject: unknown): subject is OutgoingSubject {
  return typeof subject === "object" && subject !== null && "kind" in subject && subject.kind === "outgoing";
}

/** Stands for the documents of an operation that failed. */
const unknownResult = null;

type CapturedParts = Omit<CapturedOperation, "waitsForIndex" | "target">;

function captureParts(args: SpanOperation[0], result: unknown): CapturedParts | undefined {
  const [subject, second] = args;
  if (typeof subject !== "object" || subject === null) return undefined;
  if ("filters" in subject) return captured(captureQuery(subject as QueryPlan), result);
  if (!("kind" in subject) || subject.kind !== "entity") return undefined;
  if (typeof second === "string") return { query: undefined, documents: countDocument(result), ids: [second] };
  return captured(undefined, result);
}

/** Drops the ids of documents, the values of filters and the path of a request from an operation. */
export function withoutValues({ query, documents, waitsForIndex }: CapturedOperation): CapturedOperation {
  const filters = query?.filters.map((filter) => ({ ...filter, value: hiddenValue }));
  return { query: query && filters && { ...query, filters }, documents, ids: [], waitsForIndex };
}

function captureQuery({ entity, filters, orders, limit }: QueryPlan): CapturedQuery {
  const isSmall = filters.every(({ value }) => isSmallValue(value));
  return { entity: entity.name, filters: isSmall ? filters : filters.map(shortenFilter), orders, limit };
}

function shortenFilter(filter: PlannedFilter): PlannedFilter {
  return { ...filter, value: new ShortText(shortText(filter.value)) };
}

function isSmallValue(value: unknown): boolean {
  if (typeof value === "string") return value.length <= valueCharacters;
  return typeof value === "number" || typeof value === "boolean" || value === null;
}

/** Captures a result, which may be a count, a page, a list, or a document. */
function captured(query: CapturedQuery | undefined, result: unknown): CapturedParts {
  if (typeof result === "number") return { query, documents: result, ids: [] };
  if (typeof result !== "object" || result === null)
    return { query, documents: result === undefined ? 0 : undefined, ids: [] };
  const items: unknown = "items" in result ? result.items : result;
  if (!Array.isArray(items)) return { query, documents: 1, ids: idsOf([items]) };
  return { query, documents: countDocuments(items), ids: idsOf(items) };
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
  const { ids, query, target = "" } = operation;
  return 100 + 50 * ids.length + 200 * (query?.filters.length ?? 0) + 2 * target.length;
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
