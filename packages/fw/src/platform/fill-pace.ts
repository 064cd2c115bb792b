import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds of work without pauses: the fill of a small store takes no longer. */
const freeMs = 1_000;

/** The share of time in which the event loop runs other work, above which the process counts as busy. */
const busyUtilization = 0.1;

/** The pause of a busy process, in durations of the batch before it: fewer than one request in a hundred meets one. */
const busyFactor = 99;

/** Milliseconds of the longest pause: closing a store waits for it. */
const longestPauseMs = 1_000;

/** Documents in one commit of a fill, without and with pauses: requests may wait for a commit. */
export interface BatchSizes {
  readonly free: number;
  readonly paced: number;
}

/** Spreads the batches of a fill over time, so that requests of the same process keep their latency. */
export class FillPace {
  readonly #batchSizes: BatchSizes;
  #workMs = 0;

  constructor(batchSizes: BatchSizes) {
    this.#batchSizes = batchSizes;
  }

  get batchSize(): number {
    return this.#workMs < freeMs ? this.#batchSizes.free : this.#batchSizes.paced;
  }

  /** Waits after a batch that took so many milliseconds: briefly if the process is idle, long if it is busy. */
  async pause(batchMs: number, signal: AbortSignal | undefined): Promise<void> {
    this.#workMs += batchMs;
    if (this.#workMs < freeMs) return;
    const before = performance.eventLoopUtilization();
    await wait(Math.max(1, batchMs), undefined, { signal });
    if (performance.eventLoopUtilization(before).utilization > busyUtilization)
      await wait(Math.min(batchMs * busyFactor, longestPauseMs), undefined, { signal });
  }
}
