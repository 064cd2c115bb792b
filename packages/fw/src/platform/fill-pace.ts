import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** The largest step of a fill: requests wait until it ends. A step has at least one document. */
export interface StepLimit {
  readonly documents: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

/** The size of a step in a process that answers requests. */
const carefulStep = { documents: 32, bytes: 64 * 1024 } as const;

/** Steps of a process that has had nothing else to do for a while. */
const quietStep: StepLimit = { documents: 500, bytes: 4 * 1024 * 1024, milliseconds: 2 };

/** Milliseconds of the shortest step next to requests: less than a request takes. */
const shortestStepMs = 0.25;

/** Milliseconds of the longest step next to requests, which are late on an overloaded machine anyway. */
const longestStepMs = 2;

/** Milliseconds of other work in a pause that count as a request, which takes at least as long. */
const requestWorkMs = 0.1;

/** Milliseconds of other work in a single pause that end large steps at once. */
const wakingMs = 0.25;

/** Milliseconds of pauses that decide whether the process is busy. */
const windowMs = 250;

/** The most pauses with requests in that time of a process that does not count as busy: garbage is collected, too. */
const quietRequests = 3;

/** The pause of a busy process after each step, in durations of the step. */
const carefulFactor = 20;

/** The pause of a busy process for other programs' work in a step, such as that of a database, in durations of it. */
const waitFactor = 3;

/** The pause of an idle process, in durations of the step before it. */
const quietFactor = 0.25;

/** Milliseconds of the longest pause, so that a fill ends on an overloaded machine, too. */
const longestPauseMs = 100;

interface ProcessTime {
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** The total milliseconds in which the event loop has worked (`active`) and waited (`idle`). */
  readonly utilization: () => { readonly active: number; readonly idle: number };
}

const ownTime: ProcessTime = {
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  utilization: () => performance.eventLoopUtilization(),
};

/**
 * Spreads the steps of a fill over time, so that requests of the same process keep their latency. A fill starts with
 * steps that are shorter than a request, and takes a fixed share of the time. On an overloaded machine steps come late,
 * and are longer to make up for it. Large steps need a process that has done nothing else for a while, and end with its
 * first request.
 */
export class FillPace {
  readonly #time: ProcessTime;
  #isBusy = true;
  /** Milliseconds by which the last pause was too long. */
  #delayMs = 0;
  /** The pauses with requests since the last decision, and the length of all pauses. */
  #requests = 0;
  #pausedMs = 0;

  constructor(time: ProcessTime = ownTime) {
    this.#time = time;
  }

  get limit(): StepLimit {
    if (!this.#isBusy) return quietStep;
    const milliseconds = Math.min(shortestStepMs + this.#delayMs / carefulFactor, longestStepMs);
    return { ...carefulStep, milliseconds };
  }

  /** Waits after a step, which blocked this process for `stepMs` and waited for other programs for `waitedMs`. */
  async pause(stepMs: number, signal: AbortSignal | undefined, waitedMs = 0): Promise<void> {
    const before = this.#time.utilization();
    const pauseMs = Math.max(1, this.#pauseMs(stepMs, waitedMs));
    await this.#time.sleep(pauseMs, signal);
    this.#observe(before, this.#time.utilization(), pauseMs);
  }

  #pauseMs(stepMs: number, waitedMs: number): number {
    const pauseMs = this.#isBusy ? stepMs * carefulFactor + waitedMs * waitFactor : (stepMs + waitedMs) * quietFactor;
    return Math.min(pauseMs, longestPauseMs);
  }

  #observe(
    before: ReturnType<ProcessTime["utilization"]>,
    after: ReturnType<ProcessTime["utilization"]>,
    requestedMs: number,
  ): void {
    const othersMs = after.active - before.active;
    const pausedMs = othersMs + after.idle - before.idle;
    this.#delayMs = Math.max(0, pausedMs - requestedMs);
    if (othersMs > requestWorkMs) this.#requests++;
    this.#pausedMs += pausedMs;
    if (!this.#isBusy && othersMs > wakingMs) this.#decide(true);
    else if (this.#pausedMs >= windowMs) this.#decide(this.#requests > quietRequests);
  }

  #decide(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.#requests = 0;
    this.#pausedMs = 0;
  }
}
