/** Milliseconds of delay that are made up for by going faster, since timers are late by some. */
const catchUp = 50;

/** Lets deliveries begin evenly, so many a second. */
export class RateLimiter {
  #next = 0;

  /** Of deliveries that want to begin now, how many may. */
  allowed(now: number, perSecond: number, wanted: number): number {
    const late = now - this.#from(now);
    return Math.max(0, Math.min(wanted, Math.floor((late * perSecond) / 1000 + 1)));
  }

  /** Counts deliveries that begin now. */
  take(now: number, perSecond: number, count: number): void {
    this.#next = this.#from(now) + (count * 1000) / perSecond;
  }

  /** Forgets earlier deliveries, after the clock was set back. */
  restart(): void {
    this.#next = 0;
  }

  /** The instant from which the next delivery may begin. */
  get next(): number {
    return this.#next;
  }

  /** From when on deliveries are due: after a pause, from now. */
  #from(now: number): number {
    return now - this.#next > catchUp ? now : this.#next;
  }
}
