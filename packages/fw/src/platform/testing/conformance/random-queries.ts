import * as fc from "fast-check";
import type { Definitions, Filter, Order, Query } from "../../contract.ts";
import type { Fields, Scalar } from "../../values.ts";
import { asc, desc } from "./fixture.ts";

/** The final orders of the random queries. For each of them, every compared property has a composite index. */
const tails: readonly (readonly Order[])[] = [
  [],
  [asc("c")],
  [desc("c")],
  [asc("a")],
  [desc("b")],
  [asc("b"), desc("c")],
  [desc("c"), desc("b")],
  [asc("a"), asc("c")],
];

export const randomDefinitions: Definitions = {
  kinds: [
    {
      kind: "item",
      properties: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "tags", many: true }],
      composites: tails.flatMap((tail) => [
        ...(tail.length > 1 ? [{ properties: tail }] : []),
        ...["a", "b", "c", "tags"]
          .filter((property) => tail.length > 0 && !tail.some((order) => order.property === property))
          .map((property) => ({ properties: [asc(property), ...tail] })),
      ]),
    },
  ],
};

/** A few values of each type, so that documents have equal values. */
const scalar: fc.Arbitrary<Scalar> = fc.constantFrom<Scalar>(
  null,
  false,
  true,
  0n,
  1n,
  -5n,
  new Date(0),
  new Date(1),
  0,
  1,
  -1.5,
  Number.NaN,
  "",
  "a",
  "a\0",
  "b",
  "😀",
);

const optional = fc.option(scalar, { nil: undefined });

const document: fc.Arbitrary<Fields> = fc.record({
  a: optional,
  b: optional,
  c: optional,
  tags: fc.array(scalar, { maxLength: 3 }),
});

const id = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz".split(""), "é", "\uffee", "😀", "aa", "a!");

/** Documents, by id. */
export const documents: fc.Arbitrary<Map<string, Fields>> = fc
  .array(fc.tuple(id, document), { minLength: 10, maxLength: 40 })
  .map((entries) => new Map(entries));

/** Consecutive writes; one without fields is a delete. */
export const writes: fc.Arbitrary<[string, Fields | undefined][]> = fc.array(
  fc.tuple(id, fc.option(document, { nil: undefined, freq: 6 })),
  { minLength: 10, maxLength: 60 },
);

const range = fc.tuple(fc.constantFrom<"<" | "<=" | ">" | ">=">("<", "<=", ">", ">="), scalar);

/** Queries that the indexes can serve. */
export const queries: fc.Arbitrary<Query> = fc
  .record({
    tail: fc.constantFrom(...tails),
    compared: fc.uniqueArray(fc.constantFrom("a", "b", "c", "tags"), { maxLength: 3 }),
    values: fc.array(fc.array(scalar, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
    among: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    ranges: fc.array(range, { maxLength: 2 }),
    ordered: fc.boolean(),
    limit: fc.integer({ min: 1, max: 8 }),
  })
  .map(({ tail, compared, values, among, ranges, ordered, limit }) => {
    const first = tail[0];
    const filters = compared
      .filter((property) => !tail.some((order) => order.property === property))
      .map((property, i): Filter => {
        const choices = values[i] as [Scalar, ...Scalar[]];
        return among[i] ? { property, op: "in", value: choices } : { property, op: "==", value: choices[0] };
      });
    if (first !== undefined)
      filters.push(...ranges.map(([op, value]): Filter => ({ property: first.property, op, value })));
    const among1 = filters.find((filter) => filter.op === "in" && filter.property !== "tags");
    const extra = ordered && among1 !== undefined ? [desc(among1.property)] : [];
    return { kind: "item", filters, orders: [...extra, ...tail], limit };
  })
  .filter(
    ({ filters, orders }) => filters.every((f) => f.op === "==" || f.op === "in") || isRangeFirst(filters, orders),
  );

/** True if a filter has the property of the first order that is not compared by `==` or `in`. Ranges require this. */
function isRangeFirst(filters: readonly Filter[], orders: readonly Order[]): boolean {
  const compared = filters.filter((filter) => filter.op === "==" || filter.op === "in").map((f) => f.property);
  return filters.some(
    (filter) => filter.property === orders.find((order) => !compared.includes(order.property))?.property,
  );
}
