import { tenantProperty } from "../lib/tenant-fields.ts";
import type { Definitions, Filter } from "../platform/contract.ts";
import { readDefinitions } from "../platform/definitions.ts";
import { planQuery } from "../platform/query-plan.ts";
import type { ConsoleEvent } from "./event-hub.ts";
import type { QueryShape } from "./recording/step-shape.ts";

/** The fields of each index that a query uses. Empty if the query reads documents in id order. */
type QueryIndexes = readonly (readonly string[])[];

/** Adds the indexes in use to each query among the events. */
export function addQueryIndexes(events: readonly ConsoleEvent[], definitions: Definitions): readonly ConsoleEvent[] {
  const indexesOf = queryIndexes(definitions);
  return events.map((event) => {
    if (event.kind !== "span" || event.details?.query === undefined) return event;
    const indexes = indexesOf(event.details.query);
    return indexes === undefined ? event : { ...event, indexes };
  });
}

/** Returns a function that lists the indexes a query uses, or returns undefined if the definitions cannot serve it. */
export function queryIndexes(definitions: Definitions): (query: QueryShape) => QueryIndexes | undefined {
  const kinds = readDefinitions(definitions);
  const indexesOf = new Map<string, QueryIndexes | undefined>();
  return (query) => {
    const shape = JSON.stringify([
      query.entity,
      query.filters.map(({ field, operator }) => [field, operator]),
      query.orders,
    ]);
    if (!indexesOf.has(shape)) indexesOf.set(shape, planOf(query, kinds));
    return indexesOf.get(shape);
  };
}

/** Plans a query. Returns undefined if the application's current definitions cannot serve it. */
function planOf(
  { entity, filters, orders }: QueryShape,
  kinds: ReturnType<typeof readDefinitions>,
): QueryIndexes | undefined {
  const kind = kinds.get(entity);
  if (kind === undefined) return undefined;
  // Every query of an entity with tenants compares the tenant, which is the first field of its indexes.
  const tenant: Filter[] = kind.indexed.has(tenantProperty)
    ? [{ property: tenantProperty, op: "==", value: null }]
    : [];
  try {
    const plan = planQuery(kind, {
      kind: entity,
      filters: [...tenant, ...filters.map(platformFilter)],
      orders: orders.map(({ field, direction }) => ({ property: field, direction })),
    });
    return indexFields(plan.indexes);
  } catch {
    return undefined;
  }
}

/** Converts a filter without its value, which does not affect the choice of an index. */
function platformFilter({ field, operator }: QueryShape["filters"][number]): Filter {
  if (operator === "in") return { property: field, op: "in", value: [null] };
  return { property: field, op: operator === "contains" ? "==" : operator, value: null };
}

/** Returns the fields of each index, with sort directions. An index of one field has none: it serves both. */
export function indexFields(
  indexes: readonly { readonly properties: readonly { readonly property: string; readonly direction: string }[] }[],
): QueryIndexes {
  return indexes.map(({ properties }) =>
    properties.map(({ property, direction }) => {
      if (property === tenantProperty) return "tenant";
      return properties.length === 1 ? property : `${property} ${direction}`;
    }),
  );
}
