import { setImmediate, setTimeout } from "node:timers/promises";

/**
 * The number of quiet turns of the event loop to wait for, because completed work may start more work a few turns
 * later.
 */
const turns = 4;

/** Milliseconds between two checks. */
const checkMs = 10;
/**
 * The number of checks without progress after which work, such as a handler that never ends, counts as waiting for time
 * to pass.
 */
const mostChecks = 100;
/** The shorter limit if earlier work with the same names has waited for time. */
const checksOfWaiter = 10;

/** Work in progress. The clock does not advance before the work ends or waits for time. */
interface TrackedWork {
  /** Undefined for work that never waits for time to pass. */
  readonly name: string | undefined;
  readonly end: Promise<void>;
}

/**
 * Tracks the work at one instant of a test's clock. The clock advances only when all work has ended or waits for time,
 * so the order of events depends only on the application. Counts checks, not time, so that slow machines give the same
 * result.
 */
export class Activity {
  readonly #works: Set<TrackedWork> = new Set();
  readonly #waiting: Set<TrackedWork> = new Set();
  readonly #waiterNames: Set<string> = new Set();
  #endedCount = 0;

  /** Tracks work until it ends. Work with a `name`, such as a handler, may also count as waiting for time. */
  track<T>(work: Promise<T>, name?: string): Promise<T> {
    const onEnd = (): void => {
      this.#works.delete(entry);
      this.#waiting.delete(entry);
      this.#endedCount++;
    };
    const entry: TrackedWork = { name, end: work.then(onEnd, onEnd) };
    this.#works.add(entry);
    return work;
  }

  /** Resolves when nothing more happens until time passes. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < turns; quiet++) {
      await setImmediate();
      const busy = [...this.#works].filter((work) => !this.#waiting.has(work));
      if (busy.length === 0) continue;
      quiet = 0;
      await this.#endOrWait(busy);
    }
  }

  /**
   * Resolves when some of the work has ended or, after many checks, when the named work counts as waiting for time to
   * pass.
   */
  async #endOrWait(busy: readonly TrackedWork[]): Promise<void> {
    const before = this.#endedCount;
    const limit = busy.every(({ name }) => name !== undefined && this.#waiterNames.has(name))
      ? checksOfWaiter
      : mostChecks;
    for (let check = 0; check < limit; check++) {
      await Promise.race([...busy.map(({ end: ended }) => ended), setTimeout(checkMs)]);
      if (this.#endedCount !== before) return;
    }
    for (const work of busy) {
      if (work.name === undefined) continue;
      this.#waiting.add(work);
      this.#waiterNames.add(work.name);
    }
  }
}
