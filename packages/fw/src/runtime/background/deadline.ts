import type { Clock } from "../../platform/contract.ts";
import { DeadlinePassed } from "../../platform/deadline.ts";

/**
 * Runs work whose signal aborts at a deadline, or when everything stops. Rejects then, also when the work goes on: nobody waits
 * for it any more.
 */
export async function untilDeadline<T>(
  clock: Clock,
  milliseconds: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const deadline = new AbortController();
  const signal = AbortSignal.any([stopping, deadline.signal]);
  const late = clock.sleep(milliseconds, over.signal).then(
    () => deadline.abort(new DeadlinePassed(milliseconds)),
    () => {},
  );
  signal.throwIfAborted();
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([work(signal), ended]);
  } finally {
    over.abort();
    await late;
  }
}
