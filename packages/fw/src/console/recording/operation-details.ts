import type { SpanOperation } from "../../runtime/observe/span.ts";

/** Ids of documents that a step of a request names. */
const namedIds = 20;

/** Characters of a value in a filter. */
const valueCharacters = 60;

/** The documents that a step of a request read or wrote. */
export interface OperationDetails {
  /** Present for a query. */
  readonly query?: QueryDetails;
  /** The number of documents; absent if it is unknown. */
  readonly documents?: number;
  /** The ids of the first documents. */
  readonly ids?: readonly string[];
}

/** The shape of a query, and the values it compared with. */
export interface QueryDetails {
  readonly entity: string;
  readonly filters: readonly FilterDetails[];
  readonly orders: readonly { readonly field: string; readonly direction: "asc" | "desc" }[];
  readonly limit?: number;
}

/** The arguments of a query, as entities pass them. */
interface QueryPlan {
  readonly entity: { readonly name: string };
  readonly filters: readonly (Omit<FilterDetails, "value"> & { readonly value: unknown })[];
  readonly orders: QueryDetails["orders"];
  readonly limit?: number;
}

interface FilterDetails {
  readonly field: string;
  readonly operator: "==" | "<" | "<=" | ">" | ">=" | "in" | "contains";
  /** The beginning of the value as JSON. */
  readonly value: string;
}

/** Describes an operation on an entity; undefined for another one. */
export function operationDetails([args, result]: SpanOperation): OperationDetails | undefined {
  const [subject, second] = args;
  if (typeof subject !== "object" || subject === null) return undefined;
  if ("filters" in subject) return { query: queryDetails(subject as QueryPlan), ...documentsOf(result) };
  if (!("kind" in subject) || subject.kind !== "entity") return undefined;
  if (typeof second === "string") return { documents: result === undefined ? 0 : 1, ids: [second] };
  return documentsOf(result);
}

function queryDetails({ entity, filters, orders, limit }: QueryPlan): QueryDetails {
  return {
    entity: entity.name,
    filters: filters.map(({ field, operator, value }) => ({ field, operator, value: shortText(value) })),
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

/** A result is a count, a page, a list, or a document. */
function documentsOf(result: unknown): Omit<OperationDetails, "query"> {
  if (typeof result === "number") return { documents: result };
  if (typeof result !== "object" || result === null) return result === undefined ? { documents: 0 } : {};
  const items: unknown = "items" in result ? result.items : result;
  const documents: readonly unknown[] = Array.isArray(items) ? items : [items];
  const ids = documents.slice(0, namedIds).flatMap(idOf);
  return { documents: documents.filter((each) => each !== undefined).length, ...(ids.length > 0 && { ids }) };
}

function idOf(document: unknown): string[] {
  if (typeof document !== "object" || document === null || !("id" in document)) return [];
  return typeof document.id === "string" ? [document.id] : [];
}
