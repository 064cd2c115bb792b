import { invalid } from "../errors.ts";
import { checkKey, checkText } from "./limits.ts";
import { compareKeys, compareValues, indexed, textOf, type Entity, type Key, type Value } from "./values.ts";

export interface Filter {
  readonly propertyFilter?: {
    readonly property?: { readonly name?: string };
    readonly op?: string;
    readonly value?: Value;
  };
  readonly compositeFilter?: { readonly op?: string; readonly filters?: readonly Filter[] };
}

export interface Query {
  readonly kind?: readonly { readonly name?: string }[];
  readonly filter?: Filter;
  readonly order?: readonly { readonly property?: { readonly name?: string }; readonly direction?: string }[];
  readonly projection?: readonly { readonly property?: { readonly name?: string } }[];
  readonly startCursor?: string;
  readonly endCursor?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** An entity with its position in the order of a query. */
export interface Row<Stored extends { readonly entity: Entity }> {
  readonly stored: Stored;
  readonly cursor: string;
}

/** Runs a query over entities. Returns the sorted results after its start cursor, up to its end cursor. */
export function find<Stored extends { readonly entity: Entity }>(
  query: Query,
  namespace: string,
  all: Iterable<Stored>,
): Row<Stored>[] {
  if (query.filter) checkFilter(query.filter);
  const orders = ordersOf(query);
  const kind = query.kind?.[0]?.name;
  const start = query.startCursor === undefined ? undefined : readCursor(query.startCursor);
  const end = query.endCursor === undefined ? undefined : readCursor(query.endCursor);
  const rows: { stored: Stored; place: readonly Value[] }[] = [];
  for (const storedEntity of all) {
    const { key, properties: _properties } = storedEntity.entity;
    if (!key || (key.partitionId?.namespaceId ?? "") !== namespace) continue;
    if (kind !== undefined && key.path?.at(-1)?.kind !== kind) continue;
    if (query.filter && !matches(storedEntity.entity, query.filter)) continue;
    const place = placeOf(storedEntity.entity, orders, query.filter);
    if (!place) continue;
    if (start && compare(place, start, orders) <= 0) continue;
    if (end && compare(place, end, orders) > 0) continue;
    rows.push({ stored: storedEntity, place });
  }
  return rows
    .toSorted((a, b) => compare(a.place, b.place, orders))
    .map(({ stored: storedEntity, place }) => ({
      stored: storedEntity,
      cursor: Buffer.from(JSON.stringify(place)).toString("base64"),
    }));
}

/** Refuses values that no entity can have, even if the filter would find nothing. */
function checkFilter({ propertyFilter, compositeFilter }: Filter): void {
  for (const filter of compositeFilter?.filters ?? []) checkFilter(filter);
  const { property, value = {} } = propertyFilter ?? {};
  for (const one of value.arrayValue?.values ?? [value]) {
    if (one.keyValue) checkKey(one.keyValue);
    checkText(property?.name ?? "", one);
  }
}

interface Order {
  readonly name: string;
  readonly down: boolean;
}

/** Returns the orders of a query, including the implicit ones. */
function ordersOf({ order = [], filter }: Query): readonly Order[] {
  const orders = order.map(({ property, direction }) => ({
    name: property?.name ?? "",
    down: direction === "DESCENDING",
  }));
  const range = filter && rangeOf(filter);
  if (range !== undefined && orders.length === 0) orders.push({ name: range, down: false });
  return orders.some(({ name }) => name === "__key__") ? orders : [...orders, { name: "__key__", down: false }];
}

/** Returns the first property with an inequality filter; undefined if there is none. */
function rangeOf({ propertyFilter, compositeFilter }: Filter): string | undefined {
  if (propertyFilter) {
    const isRange = [
      "LESS_THAN",
      "LESS_THAN_OR_EQUAL",
      "GREATER_THAN",
      "GREATER_THAN_OR_EQUAL",
      "NOT_EQUAL",
      "NOT_IN",
    ].includes(propertyFilter.op ?? "");
    return isRange ? propertyFilter.property?.name : undefined;
  }
  for (const filter of compositeFilter?.filters ?? []) {
    const range = rangeOf(filter);
    if (range !== undefined) return range;
  }
  return undefined;
}

/** Returns an entity's sort values; undefined if one of `orders` has none. */
function placeOf(entity: Entity, orders: readonly Order[], filter: Filter | undefined): readonly Value[] | undefined {
  const place: Value[] = [];
  for (const { name, down } of orders) {
    const meant = indexed(entity, name).filter((value) => !filter || allowsValue(filter, name, value));
    const [first] = meant.toSorted((a, b) => (down ? compareValues(b, a) : compareValues(a, b)));
    if (!first) return undefined;
    place.push(first);
  }
  return place;
}

function compare(a: readonly Value[], b: readonly Value[], orders: readonly Order[]): number {
  for (const [at, { down }] of orders.entries()) {
    const order = compareValues(a[at] ?? {}, b[at] ?? {});
    if (order !== 0) return down ? -order : order;
  }
  return 0;
}

function matches(entity: Entity, { propertyFilter, compositeFilter }: Filter): boolean {
  if (compositeFilter) {
    const filters = compositeFilter.filters ?? [];
    return compositeFilter.op === "OR"
      ? filters.some((one) => matches(entity, one))
      : filters.every((one) => matches(entity, one));
  }
  if (!propertyFilter) throw invalid("filter is required");
  const { property, op = "", value = {} } = propertyFilter;
  if (op === "HAS_ANCESTOR") return isBelow(entity.key ?? {}, value.keyValue ?? {});
  return indexed(entity, property?.name ?? "").some((one) => holds(op, one, value));
}

/** True if a property's value satisfies the filters on this property. The branches of an OR are not checked. */
function allowsValue({ propertyFilter, compositeFilter }: Filter, name: string, value: Value): boolean {
  if (compositeFilter?.op === "OR") return true;
  if (compositeFilter) return (compositeFilter.filters ?? []).every((one) => allowsValue(one, name, value));
  if (propertyFilter?.property?.name !== name || propertyFilter.op === "HAS_ANCESTOR") return true;
  return holds(propertyFilter.op ?? "", value, propertyFilter.value ?? {});
}

function holds(op: string, value: Value, operand: Value): boolean {
  const list = operand.arrayValue?.values ?? [];
  if (op === "IN") return list.some((one) => compareValues(value, one) === 0);
  if (op === "NOT_IN") return list.every((one) => compareValues(value, one) !== 0);
  const order = compareValues(value, operand);
  if (op === "EQUAL") return order === 0;
  if (op === "NOT_EQUAL") return order !== 0;
  if (op === "LESS_THAN") return order < 0;
  if (op === "LESS_THAN_OR_EQUAL") return order <= 0;
  if (op === "GREATER_THAN") return order > 0;
  if (op === "GREATER_THAN_OR_EQUAL") return order >= 0;
  throw invalid(`Unknown filter operator ${op}.`);
}

function isBelow(key: Key, ancestor: Key): boolean {
  const { path = [] } = ancestor;
  return compareKeys({ path: (key.path ?? []).slice(0, path.length) }, ancestor) === 0 && textOf(key) !== "";
}

function readCursor(cursor: string): readonly Value[] {
  try {
    return JSON.parse(Buffer.from(cursor, "base64").toString()) as readonly Value[];
  } catch {
    throw invalid("Invalid cursor.");
  }
}
