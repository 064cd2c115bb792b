import { setImmediate } from "node:timers/promises";
import type { Clock } from "../contract.ts";

/** Turns of the event loop in which who was woken can act, before the clock moves on. */
const turns = 10;

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved, and wakes sleepers at their instants. */
export class SteppedClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00Z");
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#now;
  }

  /** How many sleep. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const sleeper = { at: this.#now + milliseconds, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Moves the clock and wakes, one after the other, whoever sleeps until then. */
  async advance(milliseconds: number): Promise<void> {
    const target = this.#now + milliseconds;
    await pass();
    for (let next = this.#next(target); next !== undefined; next = this.#next(target)) {
      this.#sleepers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await pass();
    }
    this.#now = target;
  }

  #next(by: number): Sleeper | undefined {
    const due = [...this.#sleepers].filter(({ at }) => at <= by);
    return due.toSorted((one, other) => one.at - other.at)[0];
  }
}

/** Lets everything happen that needs no time. */
async function pass(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}
