import { expect, test } from "vitest";
import type { Filter, Order } from "../../contract.ts";
import { asc, desc, failure, fixture, items } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const a: Filter = { property: "a", op: "==", value: 1 };
const b: Filter = { property: "b", op: "==", value: 1 };
const c: Filter = { property: "c", op: "==", value: 1 };
const above: Filter = { property: "c", op: ">", value: 1 };
const tag: Filter = { property: "tags", op: "==", value: "t" };

/**
 * Queries that the fixture's indexes serve. Its composites include (a, c desc), (b, c desc), (a, b, c), (a, b desc) and
 * (tags, c).
 */
const servedQueries: [string, Filter[], Order[]][] = [
  ["everything, by id", [], []],
  ["one order, up", [], [asc("a")]],
  ["one order, down", [], [desc("a")]],
  ["a range", [above], []],
  ["a range, down", [above], [desc("c")]],
  ["equalities alone", [a, b, c, tag], []],
  ["an in as an equality", [{ property: "a", op: "in", value: [1, 2] }, b], []],
  ["an order on a compared property", [a, b], [asc("b")]],
  ["an equality and an order", [a], [desc("c")]],
  ["an equality and a range, down", [a, above], [desc("c")]],
  ["two composites with one tail, merged", [a, b], [desc("c")]],
  ["the whole composite", [a, b], [asc("c")]],
  ["the whole composite, range", [a, b, above], []],
  ["orders alone, as the composite has them", [], [asc("a"), desc("b")]],
  ["a composite of two and one of one, merged", [a, b, tag], [asc("c")]],
  ["an array's element and an order", [tag], [asc("c")]],
];

const unserved: [string, Filter[], Order[]][] = [
  ["orders the other way round", [], [desc("a"), asc("b")]],
  ["orders of which one goes the other way", [], [asc("a"), asc("b")]],
  ["an equality and an order the other way", [b], [asc("c")]],
  ["an equality and a range without its order", [a, above], []],
  ["an equality that no composite with the tail holds", [a, tag], [desc("c")]],
  ["a property that is not indexed", [{ property: "x", op: "==", value: 1 }], []],
  ["an equality that is only in a longer composite", [a, tag], [asc("c")]],
];

export function indexTests(open: OpenPlatform): void {
  test("a query that the deployed indexes serve is answered", async () => {
    const { entities } = await fixture(open);
    for (const [name, filters, orders] of servedQueries)
      expect(await failure(() => entities.query(items({ filters, orders }))), name).toBeUndefined();
  });

  test("a query that the deployed indexes would not serve fails, also when it is a count or in a transaction", async () => {
    const { entities } = await fixture(open);
    const transaction = await entities.begin();
    for (const [name, filters, orders] of unserved) {
      const query = items({ filters, orders });
      expect(await failure(() => entities.query(query)), name).toBe("index");
      expect(await failure(() => entities.count(query)), name).toBe("index");
      expect(await failure(() => transaction.query(query)), name).toBe("index");
    }
  });

  test("the failure says which index is needed", async () => {
    const { entities } = await fixture(open);
    const query = items({ filters: [b, tag], orders: [desc("a")] });
    await expect(entities.query(query)).rejects.toThrow(
      "no index serves this query of item; it needs one over (b asc, tags asc, a desc)",
    );
  });
}
