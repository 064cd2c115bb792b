import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import { untilDeadline } from "./deadline.ts";

/** Collects garbage. Objects referenced by promises or jobs may need another call. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

test("work that has ended is let go, though its handler listened to the signal", async () => {
  const stopping = new AbortController();
  const refs = await Promise.all(
    Array.from({ length: 5 }, async () => {
      let ref: WeakRef<AbortSignal> | undefined;
      await untilDeadline(new SteppedClock(), 60_000, stopping.signal, async (signal) => {
        ref = new WeakRef(signal);
        signal.addEventListener("abort", () => expect.fail("nothing aborts"));
      });
      return ref;
    }),
  );
  await expect
    .poll(() => {
      collect();
      return refs.filter((ref) => ref?.deref() !== undefined).length;
    })
    .toBe(0);
  expect(getEventListeners(stopping.signal, "abort")).toHaveLength(0);
});

test("work that is told to stop sees why, and is not waited for", async () => {
  const stopping = new AbortController();
  let observedReason: unknown;
  const work = untilDeadline(new SteppedClock(), 60_000, stopping.signal, (signal) => {
    signal.addEventListener("abort", () => (observedReason = signal.reason));
    return new Promise(() => {});
  });
  stopping.abort(new Error("the service stops"));
  await expect(work).rejects.toThrow("the service stops");
  expect(observedReason).toEqual(new Error("the service stops"));
  await expect(untilDeadline(new SteppedClock(), 1, stopping.signal, async () => 1)).rejects.toThrow(
    "the service stops",
  );
});
