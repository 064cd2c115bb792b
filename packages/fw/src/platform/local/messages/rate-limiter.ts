/** The maximum lateness, in milliseconds, that a burst of deliveries makes up for: timers fire late. */
const catchUp = 50;

/** Spaces the starts of deliveries evenly at a given rate per second. */
export class RateLimiter {
  #next = 0;

  /** Returns how many of the waiting deliveries may start now. */
  allowance(now: number, perSecond: number, waiting: number): number {
    const late = now - this.#from(now);
    return Math.max(0, Math.min(waiting, Math.floor((late * perSecond) / 1000 + 1)));
  }

  take(now: number, perSecond: number, count: number): void {
    this.#next = this.#from(now) + (count * 1000) / perSecond;
  }

  /** Resets after the clock was set back. */
  restart(): void {
    this.#next = 0;
  }

  /** When the next delivery may start. */
  get next(): number {
    return this.#next;
  }

  /** Returns the time to count from: `#next`, or `now` if that is long ago. */
  #from(now: number): number {
    return now - this.#next > catchUp ? now : this.#next;
  }
}
