import type { Order, Query, Total } from "./contract.ts";
import type { Value } from "./values.ts";

/**
 * Adds an order by the property to a query. This restricts the query to documents that have the property, and
 * determines the indexes that it needs.
 */
export function totalQuery(query: Omit<Query, "limit" | "after">, property: string): Omit<Query, "limit" | "after"> {
  const { filters, orders } = query;
  if (orders.some((order) => order.property === property)) return query;
  const range = filters.find(({ op }) => op !== "==" && op !== "in");
  const first = orders.length > 0 || range === undefined || range.property === property ? orders : [ascending(range)];
  return { ...query, orders: [...first, ascending({ property })] };
}

function ascending({ property }: { readonly property: string }): Order {
  return { property, direction: "asc" };
}

/** Adds up values like Datastore: exactly as 64-bit integers, or as doubles if any is a double or the sum overflows. */
export class SumAccumulator {
  #whole = 0n;
  #double = 0;
  #count = 0;
  #hasDouble = false;

  add(value: Value | undefined): void {
    if (typeof value === "bigint") this.#whole += value;
    else if (typeof value === "number") {
      this.#double += value;
      this.#hasDouble = true;
    } else return;
    this.#count += 1;
  }

  get total(): Total {
    if (this.#count === 0) return { sum: 0, average: undefined };
    const asDouble = this.#double + Number(this.#whole);
    const isWhole = !this.#hasDouble && BigInt.asIntN(64, this.#whole) === this.#whole;
    return { sum: isWhole ? this.#whole : asDouble, average: asDouble / this.#count };
  }
}

export function totalIdentity({ sum, average }: Total): string {
  return `${typeof sum} ${String(sum)} ${String(average)}`;
}
