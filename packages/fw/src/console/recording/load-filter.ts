/** The most requests per second that are observed closely. */
const closelyObserved = 100;

/**
 * Chooses the requests to observe closely. During a load test it skips most of them, because observing them all would
 * cost more than answering them. A timer ends each second, so that a skipped request reads no clock.
 */
export class LoadFilter {
  readonly #mostPerSecond: number;
  readonly #afterSecond: (startNext: () => void) => void;
  readonly #startNext = (): void => {
    this.#count = 0;
  };
  #count = 0;

  /** `mostPerSecond` is how often the filter says yes. */
  constructor(
    mostPerSecond: number = closelyObserved,
    afterSecond: (startNext: () => void) => void = (startNext) => void setTimeout(startNext, 1_000).unref(),
  ) {
    this.#mostPerSecond = mostPerSecond;
    this.#afterSecond = afterSecond;
  }

  /** True if the filter is likely to take the next request, judging by the latest ones. */
  get isIdle(): boolean {
    return this.#count < this.#mostPerSecond;
  }

  /** Returns whether to observe a request, and counts it if so. */
  takes(): boolean {
    if (this.#count === this.#mostPerSecond) return false;
    if (this.#count === 0) this.#afterSecond(this.#startNext);
    this.#count += 1;
    return true;
  }
}
