import { expect, test } from "vitest";
import type { StepTotal } from "../recording/step-totals.ts";
import { roughBytes } from "../../lib/rough-bytes.ts";
import { StepHistory } from "./step-history.ts";

function total(name: string, ms: number): StepTotal {
  const shape = { key: name, kind: "data", name, route: "GET /orders" } as const;
  return { ...shape, count: 1, failed: 0, ms, longest: ms, documents: 1, waits: 0, buckets: [1] };
}

const minute = 60_000;

test("a range covers its minutes, and the latest one", () => {
  const history = new StepHistory();
  for (let i = 0; i < 10; i += 1) history.add([total("entity.all orders", 1)], i * minute);
  const countSince = (at: number): number | undefined => history.since(at)[0]?.count;
  expect([0, 5, 8.5, 9].map((each) => countSince(each * minute))).toEqual([10, 5, 2, 1]);
  expect(history.since(10 * minute)).toEqual([]);
});

test("the slowest come first, and memory is bounded", () => {
  const history = new StepHistory();
  for (let i = 0; i < 130; i += 1)
    history.add(
      Array.from({ length: 300 }, (_, each) => total(`entity.all ${i % 2}-${each}-${"x".repeat(200)}`, each + 1)),
      i * minute,
    );
  const rows = history.since(0);
  expect(rows[0]?.longest).toBe(300);
  expect(rows.length).toBeLessThanOrEqual(500);
  // A row counts every other minute. The history holds 8 MB, or up to twice as much between two trims.
  const bytesOfMinute = roughBytes(Array.from({ length: 300 }, (_, each) => total("x".repeat(220), each)));
  expect(2 * (rows[0]?.count ?? 0) * bytesOfMinute).toBeLessThan(16_500_000);
});
