/**
 * Stops a server that has pending queries but has sent no answer for some time. A query may take longer while the
 * server answers parts of it.
 */
export class Watchdog {
  readonly #timeout: number;
  readonly #stop: () => void;
  #queries = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeout: number, stop: () => void) {
    this.#timeout = timeout;
    this.#stop = stop;
  }

  /** True while the server has queries to answer. */
  get isWatching(): boolean {
    return this.#queries > 0;
  }

  begin(): void {
    this.#queries += 1;
    this.#timer ??= setTimeout(this.#stop, this.#timeout);
  }

  /** Restarts the timer after an answer: one query asks many questions, such as one for each file to check. */
  noteAnswer(): void {
    this.#timer?.refresh();
  }

  end(): void {
    this.#queries -= 1;
    if (this.isWatching) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
