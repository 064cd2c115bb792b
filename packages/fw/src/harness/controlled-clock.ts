import { setImmediate } from "node:timers/promises";
import type { Duration } from "../declare/duration.ts";
import { parseDuration } from "../lib/duration.ts";
import type { SleepOptions } from "../platform/contract.ts";
import { SteppedClock } from "../platform/stepped-clock.ts";
import type { TestClock } from "./clock.ts";

/** Work that runs while time advances, in addition to timers. */
export interface TimedWork {
  begin(): void;
  /** Resolves when the work at this instant has ended or is waiting for time to pass. */
  settle(): Promise<void>;
  end(): void;
}

const noWork: TimedWork = { begin: () => {}, settle: () => setImmediate(), end: () => {} };

/** The clock of a test's application, which starts at `start`, milliseconds since 1970. */
export class ControlledClock implements TestClock {
  readonly #clock: SteppedClock;
  #advancing: Promise<void> = Promise.resolve();
  #work: TimedWork = noWork;

  constructor(start: number) {
    this.#clock = new SteppedClock(start);
  }

  now(): number {
    return this.#clock.now();
  }

  elapsed(): number {
    return this.#clock.elapsed();
  }

  /** Sets the work that happens while time passes. */
  drive(work: TimedWork): void {
    this.#work = work;
  }

  sleep(milliseconds: number, signal?: AbortSignal, { contention = false }: SleepOptions = {}): Promise<void> {
    if (contention) return setImmediate(undefined, { ...(signal && { signal }) });
    return this.#clock.sleep(milliseconds, signal);
  }

  advance(duration: Duration): Promise<void> {
    const milliseconds = parseDuration(duration);
    if (milliseconds === undefined) throw new TypeError(`"${duration}" is not a duration such as "10m"`);
    const advanced = this.#advancing.then(() => this.#advance(milliseconds));
    this.#advancing = advanced.catch(() => {});
    return advanced;
  }

  /** Advances to the earliest timer. */
  skip(): void {
    this.#clock.skip();
  }

  async #advance(milliseconds: number): Promise<void> {
    const work = this.#work;
    work.begin();
    try {
      await this.#clock.advance(milliseconds, () => work.settle());
    } finally {
      work.end();
    }
  }
}
