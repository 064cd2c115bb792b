import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds of work without pauses: the fill of a small store takes no longer. */
const freeMs = 1_000;

/** The share of time in which the event loop runs other work, above which the process counts as busy. */
const busyUtilization = 0.02;

/** Milliseconds of pauses that decide whether the process is busy: a short one may fall between two requests. */
const windowMs = 100;

/** The pause of a busy process, in durations of the batch before it: fewer than one request in a hundred meets one. */
const busyFactor = 100;

/** Milliseconds of the longest pause: closing a store waits for it. */
const longestPauseMs = 1_000;

/** Documents in one commit of a fill, without and with pauses: requests may wait for a commit. */
export interface BatchSizes {
  readonly free: number;
  readonly paced: number;
}

/** The time of a process. */
interface ProcessTime {
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** The milliseconds for which the event loop has worked, and has waited, until now. */
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
  /** The work of others during pauses since the last decision, and the length of these pauses. */
  #othersMs = 0;
  #pausedMs = 0;

  constructor(batchSizes: BatchSizes, time: ProcessTime = ownTime) {
    this.#batchSizes = batchSizes;
    this.#time = time;
  }

  get batchSize(): number {
    return this.#workMs < freeMs ? this.#batchSizes.free : this.#batchSizes.paced;
  }

  /** Waits after a batch that took so many milliseconds: as long again if the process is idle, longer if it is busy. */
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
