import { setImmediate } from "node:timers/promises";
import type { Duration } from "../declare/route-config.ts";
import { parseDuration } from "../lib/duration.ts";
import type { SleepOptions } from "../platform/contract.ts";
import type { TestClock } from "./clock.ts";

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** What happens while time passes, besides what waits for it. */
export interface Passing {
  begin(): void;
  /** Resolves when what is under way at this instant has ended. */
  settle(): Promise<void>;
  end(): Promise<void>;
}

const nothing: Passing = { begin: () => {}, settle: () => setImmediate(), end: async () => {} };

/** A clock that starts at `start`, milliseconds since 1970. */
export class ControlledClock implements TestClock {
  #now: number;
  /** In the order in which they began to wait. */
  readonly #sleepers: Set<Sleeper> = new Set();
  #advancing: Promise<void> = Promise.resolve();
  #passing: Passing = nothing;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** From now on this happens while time passes. */
  drive(passing: Passing): void {
    this.#passing = passing;
  }

  /** Nobody lets time pass for those who only keep out of each other's way. */
  sleep(milliseconds: number, signal?: AbortSignal, { contention = false }: SleepOptions = {}): Promise<void> {
    if (contention) return setImmediate(undefined, { ...(signal && { signal }) });
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
    const advanced = this.#advancing.then(() => this.#advanceTo(this.#now + milliseconds));
    this.#advancing = advanced.catch(() => {});
    return advanced;
  }

  async #advanceTo(end: number): Promise<void> {
    const passing = this.#passing;
    passing.begin();
    try {
      for (;;) {
        // What was woken, or has just begun, gets to its next wait.
        await passing.settle();
        const next = this.#next(end);
        if (next === undefined) break;
        this.#now = Math.max(this.#now, next.until);
        next.wake();
      }
      this.#now = end;
      await passing.settle();
    } finally {
      await passing.end();
    }
  }

  #next(end: number): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers)
      if (sleeper.until <= end && (next === undefined || sleeper.until < next.until)) next = sleeper;
    return next;
  }
}
