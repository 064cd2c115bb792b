import { setImmediate } from "node:timers/promises";
import { parseDuration } from "../lib/duration.ts";
import type { Duration } from "../declare/route-config.ts";
import type { Clock } from "../platform/contract.ts";

/** The time of a test's application: it stands still until the test advances it. */
export interface TestClock extends Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number;
  /**
   * Lets so much time pass. What waits for an instant on the way goes on at that instant, the earliest first, and what it
   * then waits for counts too.
   */
  advance(duration: Duration): Promise<void>;
}

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** A clock that starts at `start`, milliseconds since 1970. */
export class ControlledClock implements TestClock {
  #now: number;
  /** In the order in which they began to wait. */
  readonly #sleepers: Set<Sleeper> = new Set();
  #advancing: Promise<void> = Promise.resolve();

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const over = (): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => {
        over();
        reject(signal?.reason);
      };
      const wake = (): void => {
        over();
        resolve();
      };
      const sleeper = { until: this.#now + Math.max(0, milliseconds), wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", abort);
    });
  }

  advance(duration: Duration): Promise<void> {
    const milliseconds = parseDuration(duration);
    if (milliseconds === undefined) throw new TypeError(`"${duration}" is not a length of time such as "10m"`);
    return (this.#advancing = this.#advancing.then(() => this.#advanceTo(this.#now + milliseconds)));
  }

  async #advanceTo(end: number): Promise<void> {
    for (;;) {
      // What was woken, or has just begun, gets to its next wait.
      await setImmediate();
      const next = this.#next(end);
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.until);
      next.wake();
    }
    this.#now = end;
  }

  #next(end: number): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers)
      if (sleeper.until <= end && (next === undefined || sleeper.until < next.until)) next = sleeper;
    return next;
  }
}
