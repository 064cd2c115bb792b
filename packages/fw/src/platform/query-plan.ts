import { pageDocuments, queryCombinations } from "../lib/limits.ts";
import type { Document, Filter, Order, Page, Query, RangeFilter } from "./contract.ts";
import { outdatedProperty, unfitProperty, type Kind } from "./definitions.ts";
import { isIndexable, valueOf } from "./document.ts";
import { PlatformError } from "./errors.ts";
import { chooseIndexes, type ChosenIndex } from "./query-indexes.ts";
import type { Scalar } from "./values.ts";

/** An executable query: combinations of equality values, each answered from the same indexes, merged in one order. */
export interface Plan {
  readonly kind: Kind;
  /** The orders by which documents of all combinations are merged: the query's, without properties compared by `==`. */
  readonly orders: readonly Order[];
  /** The orders that the indexes supply: `orders` except on properties compared by `in`. */
  readonly tail: readonly Order[];
  /** Bounds for the first order of the tail. */
  readonly range: readonly RangeFilter[];
  /** The direction of the scan and of ties, from the tail's last order; ascending by default. */
  readonly direction: "asc" | "desc";
  /** The indexes that together answer each combination. If empty, the plan scans the kind by id. */
  readonly indexes: readonly ChosenIndex[];
  /** For each combination, the values of the compared properties, in the order of `compared`. */
  readonly combinations: readonly (readonly Scalar[])[];
  /** The properties compared by `==` and `in`; a property may occur twice. */
  readonly compared: readonly string[];
}

/**
 * Validates a query and plans its execution; fails with `query`, `indexed` or `combinations`, or with `index` if no
 * index serves it.
 */
export function planQuery(kind: Kind, query: Omit<Query, "limit" | "after">): Plan {
  const equal = query.filters.filter((filter) => filter.op === "==");
  const among = query.filters.filter((filter) => filter.op === "in");
  const range = query.filters.filter(isRange);
  checkProperties(kind, query);
  const compared = [...equal, ...among].map((filter) => filter.property);
  const orders = withRange(query.orders, range).filter((order) => !equal.some((f) => f.property === order.property));
  const tail = orders.filter((order) => !compared.includes(order.property));
  checkRange(kind, range, compared, tail);
  const combinations = combine([...equal.map((filter) => [filter.value]), ...among.map((filter) => filter.value)]);
  return {
    kind,
    orders,
    tail,
    range,
    direction: tail.at(-1)?.direction ?? "asc",
    compared,
    combinations,
    indexes: chooseIndexes(kind, compared, tail),
  };
}

/** Whether the result depends on values that outdated documents may lack. */
export function needsCurrentDocuments({ kind, orders, compared }: Plan): boolean {
  const isRuled = (name: string): boolean => kind.indexed.get(name)?.ruled === true;
  return compared.some(isRuled) || orders.some(({ property }) => isRuled(property));
}

export function outdatedDocumentsQuery({ kind }: Kind): Omit<Query, "limit" | "after"> {
  return { kind, filters: [{ property: outdatedProperty, op: "==", value: true }], orders: [] };
}

export function planOutdated(kind: Kind): Plan {
  return planQuery(kind, outdatedDocumentsQuery(kind));
}

/**
 * Returns the properties in filters and orders whose values may have the wrong type: the plan would miss such
 * documents. Empty if nothing can match.
 */
export function typedProperties({ kind, orders, compared, combinations }: Plan): readonly string[] {
  if (combinations.length === 0) return [];
  const names = new Set([...compared, ...orders.map(({ property }) => property)]);
  return [...names].filter((name) => kind.indexed.has(unfitProperty(name)));
}

/**
 * Returns the query for documents whose `property` has a value of the wrong type. Keeps the filters by tenant and
 * searched words.
 */
export function unfitDocumentsQuery(
  { kind }: Kind,
  property: string,
  { filters }: Pick<Query, "filters">,
): Omit<Query, "limit" | "after"> {
  // Only fw sets properties that start with `@`, so these filters miss no document.
  const ofTenant = filters.filter((filter) => filter.op === "==" && filter.property.startsWith("@"));
  return {
    kind,
    filters: [...ofTenant, { property: unfitProperty(property), op: "==", value: true }],
    orders: [],
  };
}

/** Creates the error for a query that would miss a document. */
export function unfitError({ kind }: Kind, property: string, id: string): PlatformError {
  return new PlatformError(
    "unfit",
    `a query of "${kind}" by ${property} would miss the document ${JSON.stringify(id)}, whose ${property} does not fit: declare an upgrade for it`,
    kind,
  );
}

/** Creates the error for a query that must wait until an index is filled or outdated documents are rewritten. */
export function fillingError({ kind }: Kind): PlatformError {
  return new PlatformError(
    "filling",
    `an index of ${kind} is being filled from older documents; try again later`,
    kind,
  );
}

/** Returns the document's values for the plan's orders. */
export function orderValues({ kind, orders }: Plan, { id, fields }: Document): Scalar[] {
  return orders.map(({ property }) => {
    const indexed = kind.indexed.get(property);
    return (indexed && valueOf(indexed, id, fields)) as Scalar;
  });
}

/** Checks the upper bound of a count. Throws a PlatformError `query` if it is invalid. */
export function checkUpTo(upTo: number | undefined): void {
  if (upTo !== undefined && (!Number.isSafeInteger(upTo) || upTo < 1))
    throw new PlatformError("query", `the limit of a count must be a positive integer, not ${upTo}`);
}

/** Checks a page size. Throws a PlatformError `query` if it is invalid. */
export function checkLimit(limit: number, items: "documents" | "accounts" = "documents"): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > pageDocuments)
    throw new PlatformError("query", `a page must have 1 to ${pageDocuments} ${items}, not ${limit}`);
}

export function isRange(filter: Filter): filter is RangeFilter {
  return filter.op !== "==" && filter.op !== "in";
}

function withRange(orders: readonly Order[], range: readonly RangeFilter[]): readonly Order[] {
  const first = range[0];
  return first !== undefined && orders.length === 0 ? [{ property: first.property, direction: "asc" }] : orders;
}

function checkProperties(kind: Kind, query: Omit<Query, "limit" | "after">): void {
  for (const { property } of [...query.filters, ...query.orders])
    if (!kind.indexed.has(property)) throw new PlatformError("index", `${kind.kind}.${property} is not indexed`);
  const ordered = query.orders.map((order) => order.property);
  if (new Set(ordered).size < ordered.length) throw wrong(kind, "orders by a property twice");
  const ranged = query.filters.filter(isRange).map((filter) => filter.property);
  const many = [...ordered, ...ranged].find((property) => kind.indexed.get(property)?.many);
  if (many !== undefined) throw wrong(kind, `takes a range or order of ${many}, whose values are arrays`);
}

/** Checks the range filters against the compared properties and the tail. Throws a PlatformError if they do not fit. */
export function checkRange(
  kind: Kind,
  range: readonly RangeFilter[],
  compared: readonly string[],
  tail: readonly Order[],
): void {
  const ranged = range[0]?.property;
  if (ranged === undefined) return;
  if (range.some((filter) => filter.property !== ranged)) throw wrong(kind, "takes ranges of two properties");
  if (compared.includes(ranged)) throw wrong(kind, `compares ${ranged} and takes a range of it`);
  if (tail[0]?.property !== ranged) throw wrong(kind, `takes a range of ${ranged}, so its first order is by ${ranged}`);
  const beyond = range.find((filter) => !isIndexable(filter.value));
  if (beyond !== undefined)
    throw new PlatformError(
      "indexed",
      `the query of ${kind.kind} takes a range of ${ranged} with a bound that no document can have`,
    );
}

/**
 * Returns every combination of one value from each list, except values that no document can have. Throws a
 * PlatformError `combinations` if there are too many.
 */
export function combine(choices: readonly (readonly Scalar[])[]): Scalar[][] {
  const size = choices.reduce((product, values) => product * Math.max(values.length, 1), 1);
  if (size > queryCombinations)
    throw new PlatformError(
      "combinations",
      `the in filters make ${size} combinations; the maximum is ${queryCombinations}`,
    );
  return choices.reduce<Scalar[][]>(
    (combinations, values) => combinations.flatMap((taken) => values.filter(isIndexable).map((v) => taken.concat([v]))),
    [[]],
  );
}

function wrong(kind: Kind, what: string): PlatformError {
  return new PlatformError("query", `the query of ${kind.kind} ${what}`);
}

/**
 * Returns equal strings for pages with the same versions of the same documents and the same presence of a next page.
 */
export function pageIdentity(page: Page): string {
  return JSON.stringify([page.next !== undefined, ...page.documents.map(({ id, version }) => [id, version])]);
}
