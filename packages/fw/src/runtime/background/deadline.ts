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
  stopping.throwIfAborted();
  const over = new AbortController();
  const ending = new AbortController();
  // A signal that others are combined into is kept with all who listen to it, so both are ended here.
  const stop = (): void => ending.abort(stopping.reason);
  stopping.addEventListener("abort", stop, { once: true });
  const late = clock.sleep(milliseconds, over.signal).then(
    () => ending.abort(new DeadlinePassed(milliseconds)),
    () => {},
  );
  const { signal } = ending;
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([work(signal), ended]);
  } finally {
    stopping.removeEventListener("abort", stop);
    over.abort();
    await late;
  }
}
