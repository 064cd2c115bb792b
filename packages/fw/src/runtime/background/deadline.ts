import type { Clock } from "../../platform/contract.ts";
import { DeadlinePassed } from "../../platform/deadline.ts";

/**
 * Runs work with a signal that aborts at a deadline or when the process stops. Rejects then, even if the work
 * continues.
 */
export async function untilDeadline<T>(
  clock: Clock,
  milliseconds: number,
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  stopping.throwIfAborted();
  const done = new AbortController();
  const signalSource = new AbortController();
  // With AbortSignal.any, the long-lived `stopping` would keep this signal and its listeners alive.
  const stop = (): void => signalSource.abort(stopping.reason);
  stopping.addEventListener("abort", stop, { once: true });
  const late = clock.sleep(milliseconds, done.signal).then(
    () => signalSource.abort(new DeadlinePassed(milliseconds)),
    () => {},
  );
  const { signal } = signalSource;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    stopping.removeEventListener("abort", stop);
    done.abort();
    await late;
  }
}
