import { setImmediate } from "node:timers/promises";
import type { Duration } from "../declare/duration.ts";
import { parseDuration } from "../lib/duration.ts";
import type { SleepOptions } from "../platform/contract.ts";
import { SteppedClock } from "../platform/stepped-clock.ts";
import type { TestClock } from "./clock.ts";

/** What happens while time passes, besides what waits for it. */
export interface Passing {
  begin(): void;
  /** Resolves when what is under way at this instant has ended, or waits for time. */
  settle(): Promise<void>;
  end(): void;
}

const nothing: Passing = { begin: () => {}, settle: () => setImmediate(), end: () => {} };

/** The clock of an application of a test, which starts at `start`, milliseconds since 1970. */
export class ControlledClock implements TestClock {
  readonly #clock: SteppedClock;
  #advancing: Promise<void> = Promise.resolve();
  #passing: Passing = nothing;

  constructor(start: number) {
    this.#clock = new SteppedClock(start);
  }

  now(): number {
    return this.#clock.now();
  }

  elapsed(): number {
    return this.#clock.elapsed();
  }

  /** From now on this happens while time passes. */
  drive(passing: Passing): void {
    this.#passing = passing;
  }

  sleep(milliseconds: number, signal?: AbortSignal, { contention = false }: SleepOptions = {}): Promise<void> {
    if (contention) return setImmediate(undefined, { ...(signal && { signal }) });
    return this.#clock.sleep(milliseconds, signal);
  }

  advance(duration: Duration): Promise<void> {
    const milliseconds = parseDuration(duration);
    if (milliseconds === undefined) throw new TypeError(`"${duration}" is not a length of time such as "10m"`);
    const advanced = this.#advancing.then(() => this.#advance(milliseconds));
    this.#advancing = advanced.catch(() => {});
    return advanced;
  }

  /** Moves on to the first instant that somebody waits for. */
  skip(): void {
    this.#clock.skip();
  }

  async #advance(milliseconds: number): Promise<void> {
    const passing = this.#passing;
    passing.begin();
    try {
      await this.#clock.advance(milliseconds, () => passing.settle());
    } finally {
      passing.end();
    }
  }
}
