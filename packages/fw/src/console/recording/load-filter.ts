/** The maximum number of requests per second to observe closely. */
const closelyObserved = 100;

/**
 * Chooses the requests to observe closely. Skips most of them during a load test, because observing them all would cost
 * more than answering them. A timer ends each second, so that skipped requests do not read the clock.
 */
export class LoadFilter {
  readonly #mostPerSecond: number;
  readonly #afterSecond: (startNext: () => void) => void;
  readonly #startNext = (): void => {
    this.#count = 0;
  };
  #count = 0;

  /** `mostPerSecond` is the number of requests that the filter accepts per second. */
  constructor(
    mostPerSecond: number = closelyObserved,
    afterSecond: (startNext: () => void) => void = (startNext) => void setTimeout(startNext, 1_000).unref(),
  ) {
    this.#mostPerSecond = mostPerSecond;
    this.#afterSecond = afterSecond;
  }

  /** True if the filter would accept another request now. */
  get isIdle(): boolean {
    return this.#count < this.#mostPerSecond;
  }

  /** Counts a request and returns true, or returns false if the request should not be observed. */
  takes(): boolean {
    if (this.#count === this.#mostPerSecond) return false;
    if (this.#count === 0) this.#afterSecond(this.#startNext);
    this.#count += 1;
    return true;
  }
}
