/** The most responses per second whose headers and bodies are recorded, not counting refusals and failures. */
const recordsPerSecond = 100;

/**
 * Decides which responses to record. During a load test it skips most of them, because recording them all would cost
 * more than sending them.
 */
export class LoadFilter {
  readonly #now: () => number;
  #endOfSecond = 0;
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** True if the next response is likely to be recorded whatever its status, judging by the latest responses. */
  get isIdle(): boolean {
    return this.#count < recordsPerSecond;
  }

  /** Returns whether to record a response with this status, and counts it if so. */
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
