import type { Clock } from "../../platform/contract.ts";

/** Sleeps on the platform's clock. Returns false if the signal aborts first. */
export async function sleepUntilAborted(
  clock: Pick<Clock, "sleep">,
  milliseconds: number,
  signal: AbortSignal,
): Promise<boolean> {
  await clock.sleep(milliseconds, signal).catch(() => {});
  return !signal.aborted;
}
