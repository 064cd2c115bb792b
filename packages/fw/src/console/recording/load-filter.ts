/** The most answers of a second that keep their headers and bodies, besides refusals and failures. */
const recordsPerSecond = 100;

/**
 * Decides which answers to record. It skips most answers of a load test, because recording them all would cost more
 * than answering them.
 */
export class LoadFilter {
  readonly #now: () => number;
  #endOfSecond = 0;
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** True if the next answer is recorded whatever its status is, as far as the last answers tell. */
  get isIdle(): boolean {
    return this.#count < recordsPerSecond;
  }

  /** True if an answer with this status is to be recorded, which counts it. */
  takes(status: number): boolean {
    if (status >= 400) return true;
    const at = this.#now();
    if (at >= this.#endOfSecond) {
      this.#endOfSecond = at + 1_000;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= recordsPerSecond;
  }
}
