import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds of work without pauses, so that filling a small store is not slowed down. */
const freeMs = 1_000;

/** The share of time that the event loop spends on other work above which the process counts as busy. */
const busyUtilization = 0.02;

/**
 * Milliseconds of pauses before it decides whether the process is busy: a shorter time may fall between two requests.
 */
const windowMs = 100;

/**
 * The pause of a busy process, in durations of the previous batch, so that fewer than one request in a hundred meets a
 * batch.
 */
const busyFactor = 100;

/** Maximum pause in milliseconds, because closing a store waits for it. */
const longestPauseMs = 1_000;

/** The number of documents in one commit of a fill, without and with pauses: requests may wait for a commit. */
export interface BatchSizes {
  readonly free: number;
  readonly paced: number;
}

/** Measures how busy the process is. */
interface ProcessTime {
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** The milliseconds for which the event loop has worked and waited so far. */
  readonly utilization: () => { readonly active: number; readonly idle: number };
}

const ownTime: ProcessTime = {
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  utilization: () => performance.eventLoopUtilization(),
};

/** Spreads the batches of a fill over time, so that requests of the same process keep their latency. */
export class FillPace {
  readonly #batchSizes: BatchSizes;
  readonly #time: ProcessTime;
  #workMs = 0;
  #isBusy = true;
  /** The time that other work took during the pauses since the last decision, and the length of these pauses. */
  #othersMs = 0;
  #pausedMs = 0;

  constructor(batchSizes: BatchSizes, time: ProcessTime = ownTime) {
    this.#batchSizes = batchSizes;
    this.#time = time;
  }

  get batchSize(): number {
    return this.#workMs < freeMs ? this.#batchSizes.free : this.#batchSizes.paced;
  }

  /** Waits after a batch that took this many milliseconds: as long again in an idle process, longer in a busy one. */
  async pause(batchMs: number, signal: AbortSignal | undefined): Promise<void> {
    this.#workMs += batchMs;
    if (this.#workMs < freeMs) return;
    const before = this.#time.utilization();
    const pauseMs = this.#isBusy ? Math.min(batchMs * busyFactor, longestPauseMs) : batchMs;
    await this.#time.sleep(Math.max(1, pauseMs), signal);
    this.#observe(before, this.#time.utilization());
  }

  #observe(before: ReturnType<ProcessTime["utilization"]>, after: ReturnType<ProcessTime["utilization"]>): void {
    const othersMs = after.active - before.active;
    this.#othersMs += othersMs;
    this.#pausedMs += othersMs + after.idle - before.idle;
    if (this.#pausedMs < windowMs) return;
    this.#isBusy = this.#othersMs / this.#pausedMs > busyUtilization;
    this.#othersMs = 0;
    this.#pausedMs = 0;
  }
}
