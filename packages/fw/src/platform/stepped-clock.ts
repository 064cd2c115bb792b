import { setImmediate } from "node:timers/promises";
import type { Clock } from "./contract.ts";

/** Turns of the event loop before the clock advances again, so code that woke up can run. */
const turns = 10;

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock for tests. It advances only on request and wakes sleepers on time. */
export class SteppedClock implements Clock {
  #elapsed: number;
  /** The offset of the wall clock from the elapsed time. */
  #jumped = 0;
  /** The pending sleeps, in order of their start. */
  readonly #sleepers: Set<Sleeper> = new Set();

  /** `start` is in milliseconds since 1970. */
  constructor(start: number = Date.parse("2026-01-01T00:00:00Z")) {
    this.#elapsed = start;
  }

  now(): number {
    return this.#elapsed + this.#jumped;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  /** Moves the wall clock forward, or backward if negative. Elapsed time does not change, so no sleeper wakes. */
  jump(milliseconds: number): void {
    this.#jumped += milliseconds;
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const over = (): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => {
        over();
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        over();
        resolve();
      };
      const sleeper = { until: this.#elapsed + Math.max(0, milliseconds), wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", abort);
    });
  }

  /** Advances the clock and wakes each sleeper in turn. `settle` must run all code that does not wait for time. */
  async advance(milliseconds: number, settle: () => Promise<void> = pass): Promise<void> {
    const end = this.#elapsed + milliseconds;
    // Code that just woke up or started needs to reach its next sleep.
    await settle();
    while (this.skip(end)) await settle();
    this.#elapsed = end;
    await settle();
  }

  /** Advances to the first sleeper's instant and wakes it; returns false if no sleeper wakes by `end`. */
  skip(end: number = Infinity): boolean {
    const next = this.#next(end);
    if (next === undefined) return false;
    this.#elapsed = Math.max(this.#elapsed, next.until);
    next.wake();
    return true;
  }

  #next(end: number): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers)
      if (sleeper.until <= end && (next === undefined || sleeper.until < next.until)) next = sleeper;
    return next;
  }
}

/** Lets code that does not wait for the clock run, for `turns` turns of the event loop. */
async function pass(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}
