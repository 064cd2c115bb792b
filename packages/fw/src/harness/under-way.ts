import { setImmediate, setTimeout } from "node:timers/promises";

/** Turns of the event loop in which what has just ended gets to what it does next. */
const turns = 4;

/** Milliseconds between two looks whether something has ended. */
const lookMs = 10;
/** Looks without an end after which work is taken to wait for time to pass, as a handler that never ends does. */
const looks = 100;
/** The same where other work of this name has waited for time. */
const looksOfKnown = 10;

/** Work whose end is waited for, unless it is taken to wait for time. */
interface Work {
  /** Undefined where it needs no time in any case. */
  readonly name: string | undefined;
  readonly ended: Promise<void>;
}

/**
 * What goes on at an instant of a test's clock. Whoever moves the clock waits for it first, so that what happens at an instant
 * depends on nothing but the application. Patience counts looks, not time: on a busy machine they take as much longer as the work does.
 */
export class UnderWay {
  readonly #works: Set<Work> = new Set();
  readonly #waiting: Set<Work> = new Set();
  /** Names of works that have waited for time. */
  readonly #known: Set<string> = new Set();
  /** Works that have ended. */
  #ended = 0;

  /** Counts the work until it ends; with a name (a handler's) until it only waits for time, too. */
  follow<T>(work: Promise<T>, name?: string): Promise<T> {
    const over = (): void => {
      this.#works.delete(followed);
      this.#waiting.delete(followed);
      this.#ended++;
    };
    const followed: Work = { name, ended: work.then(over, over) };
    this.#works.add(followed);
    return work;
  }

  /** Resolves when nothing happens any more until time passes. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < turns; quiet++) {
      await setImmediate();
      const busy = [...this.#works].filter((work) => !this.#waiting.has(work));
      if (busy.length === 0) continue;
      quiet = 0;
      await this.#endOrWait(busy);
    }
  }

  /** Resolves when something has ended, or else when all that may wait for time is known to. */
  async #endOrWait(busy: readonly Work[]): Promise<void> {
    const before = this.#ended;
    const most = busy.every(({ name }) => name !== undefined && this.#known.has(name)) ? looksOfKnown : looks;
    for (let look = 0; look < most; look++) {
      await Promise.race([...busy.map(({ ended }) => ended), setTimeout(lookMs)]);
      if (this.#ended !== before) return;
    }
    for (const work of busy) {
      if (work.name === undefined) continue;
      this.#waiting.add(work);
      this.#known.add(work.name);
    }
  }
}
