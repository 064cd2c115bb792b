import { expect, test } from "vitest";
import type { Span } from "../../runtime/observe/span.ts";
import { rangeOf } from "../timeline/charts.ts";
import type { CapturedOperation } from "./operation-details.ts";
import { durationBounds, StepTotals } from "./step-totals.ts";

function span(ms: number, more: Partial<Span> = {}): Span {
  return {
    kind: "client",
    name: "entity.all orders",
    attributes: {},
    trace: { id: "1".repeat(32), flags: "01", route: "GET /orders" },
    id: "1".repeat(16),
    parent: "2".repeat(16),
    failed: false,
    startedAt: 0,
    ms,
    ...more,
  };
}

function query(value: string, more: Partial<CapturedOperation> = {}): CapturedOperation {
  const filters = [{ field: "buyer", operator: "==" as const, value }];
  const shape = { entity: "orders", filters, orders: [{ field: "placed", direction: "desc" as const }], limit: 5 };
  return { query: shape, documents: 2, ids: [], waitsForIndex: false, ...more };
}

test("queries with other values count together, without their values", () => {
  const totals = new StepTotals();
  totals.add(span(1), query("ann"));
  totals.add(span(3, { failed: true }), query("bob", { documents: undefined, waitsForIndex: true }));
  const [total, ...others] = totals.list();
  expect(others).toEqual([]);
  expect(total).toMatchObject({
    kind: "data",
    name: "entity.all orders",
    route: "GET /orders",
    query: {
      entity: "orders",
      filters: [{ field: "buyer", operator: "==" }],
      orders: [{ field: "placed", direction: "desc" }],
      limit: 5,
    },
    count: 2,
    failed: 1,
    ms: 4,
    longest: 3,
    documents: 2,
    waits: 1,
  });
  expect(JSON.stringify(total)).not.toMatch(/ann|bob/);
});

test("other filters, orders, limits and routes count separately; requests and deliveries do not count", () => {
  const totals = new StepTotals();
  const { query: shape } = query("ann");
  if (shape === undefined) throw new Error("the query has a shape");
  totals.add(span(1), query("ann"));
  totals.add(span(1), query("ann", { query: { ...shape, filters: [] } }));
  totals.add(span(1), query("ann", { query: { ...shape, orders: [] } }));
  totals.add(span(1), query("ann", { query: { ...shape, limit: 6 } }));
  totals.add(span(1, { trace: { id: "1".repeat(32), flags: "01", route: "GET /other" } }), query("ann"));
  for (const kind of ["server", "consumer", "producer", "internal"] as const) totals.add(span(1, { kind }), undefined);
  expect(totals.list()).toHaveLength(5);
});

test.each([
  [0.01, { from: 0, to: 0.125 }],
  [0.125, { from: 0.125, to: 0.25 }],
  [1.9, { from: 1, to: 2 }],
  [2, { from: 2, to: 4 }],
  [300_000, { from: 262_144 }],
])("a duration of %s ms is in its bucket", (ms, range) => {
  const totals = new StepTotals();
  totals.add(span(ms), undefined);
  expect(rangeOf(totals.list()[0]?.buckets ?? [], 0.5, durationBounds)).toEqual(range);
});

test("merged totals are those of all steps", () => {
  const [one, other, both] = [new StepTotals(), new StepTotals(), new StepTotals()];
  for (const ms of [1, 5, 70]) {
    for (const totals of [one, both]) totals.add(span(ms), query("ann"));
    for (const totals of [other, both]) totals.add(span(2 * ms), query("bob"));
  }
  const merged = new StepTotals();
  merged.merge(one.take());
  merged.merge(other.take());
  expect(merged.list()).toEqual(both.list());
  expect(one.list()).toEqual([]);
});

test("of too many shapes, those with the longest total time stay", () => {
  const totals = new StepTotals(3);
  for (const ms of [10, 20, 30, 40, 50]) totals.add(span(ms, { name: `entity.get e${ms}` }), undefined);
  totals.add(span(1, { name: "entity.get e1" }), undefined);
  expect(totals.list().map(({ ms }) => ms)).toEqual([50, 40, 1]);
});
