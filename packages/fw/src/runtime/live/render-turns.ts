/** Limit: renders of live pages per second in a process; more wait for their turn. */
const rendersPerSecond = 500;

const windowMs = 1_000;

interface TurnTime {
  readonly now: () => number;
  readonly after: (milliseconds: number, run: () => void) => void;
}

const ownTime: TurnTime = {
  now: () => performance.now(),
  after: (milliseconds, run) => void setTimeout(run, milliseconds).unref(),
};

/**
 * Limits the renders in a process. Holders (users or client addresses) take turns, so one with many open pages does not
 * delay the others.
 */
export class RenderTurns {
  readonly #limit: number;
  readonly #time: TurnTime;
  /** The waiting renders by holder. The first holder has the next turn. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #windowEnd = 0;
  #started = 0;
  #isTimed = false;

  constructor(limit: number = rendersPerSecond, time: TurnTime = ownTime) {
    this.#limit = limit;
    this.#time = time;
  }

  /** Resolves when a render of this holder may start. */
  take(holder: string): Promise<void> {
    return new Promise((begin) => {
      const waiting = this.#waiting.get(holder);
      if (waiting === undefined) this.#waiting.set(holder, [begin]);
      else waiting.push(begin);
      this.#beginAll();
    });
  }

  #beginAll(): void {
    for (const [holder, [begin, ...others]] of this.#waiting) {
      if (!this.#hasTurn()) return;
      this.#waiting.delete(holder);
      if (others.length > 0) this.#waiting.set(holder, others);
      begin?.();
    }
  }

  /** Counts a render in the current second. Returns false if the second's limit is reached. */
  #hasTurn(): boolean {
    const now = this.#time.now();
    if (now >= this.#windowEnd) {
      this.#windowEnd = now + windowMs;
      this.#started = 0;
    }
    if (this.#started < this.#limit) {
      this.#started++;
      return true;
    }
    if (!this.#isTimed) this.#time.after(this.#windowEnd - now, () => this.#wake());
    this.#isTimed = true;
    return false;
  }

  #wake(): void {
    this.#isTimed = false;
    this.#beginAll();
  }
}
