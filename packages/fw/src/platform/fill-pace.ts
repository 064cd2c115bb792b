import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** The largest step of a fill: requests wait until it ends. A step has at least one document. */
export interface StepLimit {
  readonly documents: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Steps of a process that answers requests: about as long as one of them. */
const carefulStep: StepLimit = { documents: 32, bytes: 64 * 1024, milliseconds: 0.5 };

/** Steps of a process that has nothing else to do. */
export const fastStep: StepLimit = { documents: 500, bytes: 4 * 1024 * 1024, milliseconds: 4 };

/** The share of time in which the event loop runs other work, above which the process counts as busy. */
const busyUtilization = 0.02;

/** The share of a single pause that ends fast steps at once. */
const wakingUtilization = 0.25;

/** Milliseconds of pauses that decide whether the process is busy: a short one may fall between two requests. */
const windowMs = 100;

/** The idle time of a busy process after each step, in durations of the step. */
const carefulFactor = 30;

/** The pause of an idle process, in durations of the step before it. */
const fastFactor = 0.25;

/** The least idle time that a fill counts on; a busier process does not slow it further. */
const leastIdleShare = 0.1;

/** Milliseconds of the longest pause, so that a fill ends on an overloaded machine, too. */
const longestPauseMs = 100;

interface ProcessTime {
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** The milliseconds for which the event loop has worked, and has waited, until now. */
  readonly utilization: () => { readonly active: number; readonly idle: number };
}

const ownTime: ProcessTime = {
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  utilization: () => performance.eventLoopUtilization(),
};

/**
 * Spreads the steps of a fill over time, so that requests of the same process keep their latency. A fill starts with
 * small steps, and takes a fixed share of the time in which the process is idle. Large steps need a process that has
 * done nothing else for a while, and end with its first request.
 */
export class FillPace {
  readonly #time: ProcessTime;
  #isBusy = true;
  /** The share of the last pause in which the event loop ran other work. */
  #utilization = 0;
  /** The work of others during pauses since the last decision, and the length of these pauses. */
  #othersMs = 0;
  #pausedMs = 0;

  constructor(time: ProcessTime = ownTime) {
    this.#time = time;
  }

  get limit(): StepLimit {
    return this.#isBusy ? carefulStep : fastStep;
  }

  /** Waits after a step that took so many milliseconds. */
  async pause(stepMs: number, signal: AbortSignal | undefined): Promise<void> {
    const before = this.#time.utilization();
    await this.#time.sleep(Math.max(1, this.#pauseMs(stepMs)), signal);
    this.#observe(before, this.#time.utilization());
  }

  #pauseMs(stepMs: number): number {
    if (!this.#isBusy) return stepMs * fastFactor;
    const idleShare = Math.max(leastIdleShare, 1 - this.#utilization);
    return Math.min((stepMs * carefulFactor) / idleShare, longestPauseMs);
  }

  #observe(before: ReturnType<ProcessTime["utilization"]>, after: ReturnType<ProcessTime["utilization"]>): void {
    const othersMs = after.active - before.active;
    const pausedMs = othersMs + after.idle - before.idle;
    this.#utilization = pausedMs === 0 ? 1 : othersMs / pausedMs;
    this.#othersMs += othersMs;
    this.#pausedMs += pausedMs;
    if (!this.#isBusy && this.#utilization > wakingUtilization) this.#decide(true);
    else if (this.#pausedMs >= windowMs) this.#decide(this.#othersMs / this.#pausedMs > busyUtilization);
  }

  #decide(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.#othersMs = 0;
    this.#pausedMs = 0;
  }
}
