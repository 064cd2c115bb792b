import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** The maximum size of a fill step. Requests wait until a step ends; a step has at least one document. */
export interface StepLimit {
  readonly documents: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

/** The step size in a process that is answering requests. */
const carefulStep = { documents: 32, bytes: 64 * 1024 } as const;

/** The step size in a process that has had nothing else to do for a while. */
const quietStep: StepLimit = { documents: 500, bytes: 4 * 1024 * 1024, milliseconds: 2 };

/** Minimum length of a busy process's steps in milliseconds: shorter than a request. */
const shortestStepMs = 0.25;

/** Maximum length of a busy process's steps in milliseconds. On an overloaded machine requests are late anyway. */
const longestStepMs = 2;

/** Milliseconds of other work during a pause that count as a request; every request takes at least this long. */
const requestWorkMs = 0.1;

/** Milliseconds of other work during a single pause after which steps become small immediately. */
const wakingMs = 0.25;

/** Total milliseconds of pauses after which the process is classified as busy or idle. */
const windowMs = 250;

/**
 * The maximum number of pauses with requests in `windowMs` for an idle process: garbage collection looks like a
 * request.
 */
const quietRequests = 3;

/** A busy process pauses after each step for this multiple of the step's duration. */
const carefulFactor = 20;

/** A busy process also pauses for this multiple of a step's wait for other programs, such as a database. */
const waitFactor = 3;

/** An idle process pauses after each step for this multiple of its duration, waits included. */
const quietFactor = 0.25;

/** Maximum pause in milliseconds, so that a fill completes even on an overloaded machine. */
const longestPauseMs = 100;

interface ProcessTime {
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>;
  /** The total milliseconds that the event loop has been `active` and `idle`. */
  readonly utilization: () => { readonly active: number; readonly idle: number };
}

const ownTime: ProcessTime = {
  sleep: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  utilization: () => performance.eventLoopUtilization(),
};

/**
 * Spreads the steps of a fill over time, so that requests to the same process keep their latency. A fill starts with
 * steps that are shorter than a request and use a fixed share of the time. On an overloaded machine, steps start late
 * and are longer to compensate. Steps become large once the process has been otherwise idle for a while, and small
 * again with the first request.
 */
export class FillPace {
  readonly #time: ProcessTime;
  #isBusy = true;
  /** Milliseconds by which the last pause overran. */
  #delayMs = 0;
  /** The number of pauses with requests, and the total length of all pauses, since the last decision. */
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

  /** Pauses after a step that blocked this process for `stepMs` and waited for other programs for `waitedMs`. */
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
