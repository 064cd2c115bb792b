import type { Query } from "../contract.ts";
import type { Kind } from "../definitions.ts";
import { checkRange, combine, isRange, planQuery, type Plan } from "../query-plan.ts";

/** The maximum number of plans to cache per kind, which is more than most applications need. */
const keptPlans = 200;

/** Plans without values, by the shape of their queries, for each kind. */
const plansOfKinds = new WeakMap<Kind, Map<string, Plan>>();

/**
 * Plans a query like `planQuery`, but chooses the indexes only once for all queries with the same properties, operators
 * and orders, because choosing takes longer than reading a few documents.
 */
export function planOnce(kind: Kind, query: Omit<Query, "limit" | "after">): Plan {
  const plans = plansOfKinds.get(kind) ?? new Map<string, Plan>();
  const shape = shapeOf(query);
  const previous = plans.get(shape);
  if (previous !== undefined) return withValues(previous, query);
  const plan = planQuery(kind, query);
  if (plans.size >= keptPlans) plans.clear();
  plansOfKinds.set(kind, plans.set(shape, { ...plan, range: [], combinations: [] }));
  return plan;
}

function withValues(plan: Plan, { filters }: Pick<Query, "filters">): Plan {
  const range = filters.filter(isRange);
  checkRange(plan.kind, range, plan.compared, plan.tail);
  const equal = filters.flatMap((filter) => (filter.op === "==" ? [[filter.value]] : []));
  const among = filters.flatMap((filter) => (filter.op === "in" ? [filter.value] : []));
  return { ...plan, range, combinations: combine([...equal, ...among]) };
}

/** Returns equal strings for queries that differ only in values. Prefixes names with their length as a delimiter. */
function shapeOf({ filters, orders }: Pick<Query, "filters" | "orders">): string {
  let shape = "";
  for (const { property, op } of filters) shape += `${property.length} ${property} ${op} `;
  for (const { property, direction } of orders) shape += `, ${property.length} ${property} ${direction}`;
  return shape;
}
