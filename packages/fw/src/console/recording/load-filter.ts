/** The most times per second that the filter says yes. */
const mostPerSecond = 100;

/**
 * Chooses the requests to observe closely. During a load test it skips most of them, because observing them all would
 * cost more than answering them. A timer ends each second, so that a skipped request reads no clock.
 */
export class LoadFilter {
  readonly #afterSecond: (startNext: () => void) => void;
  readonly #startNext = (): void => {
    this.#count = 0;
  };
  #count = 0;

  constructor(afterSecond: (startNext: () => void) => void = (startNext) => void setTimeout(startNext, 1_000).unref()) {
    this.#afterSecond = afterSecond;
  }

  /** True if the filter is likely to take the next request, judging by the latest ones. */
  get isIdle(): boolean {
    return this.#count < mostPerSecond;
  }

  /** Returns whether to observe a request, and counts it if so. */
  takes(): boolean {
    if (this.#count === mostPerSecond) return false;
    if (this.#count === 0) this.#afterSecond(this.#startNext);
    this.#count += 1;
    return true;
  }
}
