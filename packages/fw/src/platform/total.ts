import type { Order, Query, Total } from "./contract.ts";
import type { Value } from "./values.ts";

/** The query whose documents all have the property: what it takes of indexes, an order by the property says. */
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

/** Adds up values as Datastore does: whole numbers of 64 bits exactly, and as doubles once one is among them or there is no room. */
export class Adding {
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

/** The same text for the same totals. */
export function totalIdentity({ sum, average }: Total): string {
  return `${typeof sum} ${String(sum)} ${String(average)}`;
}
