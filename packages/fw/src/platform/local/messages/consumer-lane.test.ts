import { expect, test } from "vitest";
import { policy, worker } from "../../testing/local-messages.ts";
import { ConsumerLane } from "./consumer-lane.ts";
import type { MessageRows } from "./rows.ts";

/** Returns rows that contain one message with this due time, or none. */
function rowsOf(due: number | undefined): MessageRows {
  return { next: () => (due === undefined ? [] : [{ n: 1, due }]), read: () => undefined } as unknown as MessageRows;
}

test("a message is due at its instant", () => {
  const lane = new ConsumerLane(worker());
  const rows = rowsOf(1_000);
  lane.take(rows, 0, policy.concurrency, false);
  expect(lane.readyAt(false)).toBe(1_000);
  expect([999, 1_000].map((by) => lane.isDue(rows, by))).toEqual([false, true]);
});

test("a lane that is opened again looks for messages that came while it was shut", () => {
  const lane = new ConsumerLane(worker());
  lane.take(rowsOf(undefined), 0, policy.concurrency, false);
  expect(lane.readyAt(false)).toBe(Infinity);
  lane.shut();
  lane.openFor(worker());
  expect(lane.readyAt(false)).toBe(0);
  expect(lane.isDue(rowsOf(5), 5)).toBe(true);
});
