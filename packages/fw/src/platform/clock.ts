import { setTimeout } from "node:timers/promises";
import type { Clock } from "./contract.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async sleep(milliseconds, signal, { background = false } = {}) {
    try {
      await setTimeout(milliseconds, undefined, { ref: !background, ...(signal !== undefined && { signal }) });
    } catch (ended) {
      throw signal?.aborted ? signal.reason : ended;
    }
  },
};

/** Resolves when the work ends or the time has passed; rejects if the work fails before that. */
export async function atMost(work: Promise<unknown>, milliseconds: number, clock: Clock = systemClock): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(milliseconds, over.signal).catch(() => {});
  try {
    await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
