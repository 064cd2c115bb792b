/** The cloud's clock and its timers. A manual clock moves only when a test advances it. */
export class CloudClock {
  readonly #stepped: boolean;
  #time: number;
  #offset = 0;
  #timers: Timer[] = [];
  #alarm: NodeJS.Timeout | undefined;
  readonly #underWay = new Set<Promise<void>>();

  constructor(start?: number) {
    this.#stepped = start !== undefined;
    this.#time = start ?? 0;
  }

  /** Returns milliseconds since 1970 in UTC. */
  now(): number {
    return this.#stepped ? this.#time : Date.now() + this.#offset;
  }

  /** Returns the time in Google's format. */
  timestamp(at: number = this.now()): string {
    return new Date(at).toISOString();
  }

  /** Runs a function after this many milliseconds. */
  after(milliseconds: number, run: () => void | Promise<void>): Timer {
    const timer = { due: this.now() + Math.max(0, milliseconds), run };
    // Inserts the timer after timers that are due at the same time.
    const at = this.#timers.findIndex(({ due }) => due > timer.due);
    this.#timers.splice(at === -1 ? this.#timers.length : at, 0, timer);
    this.#setAlarm();
    return timer;
  }

  /** Resolves after this many milliseconds. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  cancel(timer: Timer | undefined): void {
    this.#timers = this.#timers.filter((one) => one !== timer);
  }

  /** Advances the clock and runs all timers that fall due. A negative value sets the clock back. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.now() + milliseconds;
    for (let next = this.#timers[0]; next && next.due <= until; next = this.#timers[0]) {
      this.#moveTo(Math.max(next.due, this.now()));
      this.#runDue();
      await this.settled();
    }
    this.#moveTo(until);
    await this.settled();
  }

  /** Shifts the clock at once, as if it had been wrong, and starts all timers that are then due. */
  shift(milliseconds: number): void {
    this.#moveTo(this.now() + milliseconds);
    this.#runDue();
  }

  /** Resolves when no started work is in progress and, with a manual clock, no timer is due. */
  async settled(): Promise<void> {
    for (;;) {
      if (this.#stepped) this.#runDue();
      if (this.#underWay.size === 0) return;
      await Promise.all(this.#underWay);
    }
  }

  stop(): void {
    this.#timers = [];
    clearTimeout(this.#alarm);
  }

  #moveTo(time: number): void {
    if (this.#stepped) this.#time = time;
    else this.#offset = time - Date.now();
  }

  #runDue(): void {
    for (let next = this.#timers[0]; next && next.due <= this.now(); next = this.#timers[0]) {
      this.#timers.shift();
      const work = Promise.resolve()
        .then(next.run)
        .finally(() => this.#underWay.delete(work));
      this.#underWay.add(work);
    }
    this.#setAlarm();
  }

  #setAlarm(): void {
    const next = this.#timers[0];
    if (this.#stepped || !next) return;
    clearTimeout(this.#alarm);
    this.#alarm = setTimeout(() => this.#runDue(), Math.max(0, next.due - this.now()));
    this.#alarm.unref();
  }
}

export interface Timer {
  readonly due: number;
  readonly run: () => void | Promise<void>;
}
