/** The abort reason of work that newer work replaces, which is not a failure. */
export class Overtaken extends Error {
  constructor(message = "a newer one goes first") {
    super(message);
  }
}

/** Runs one piece of work at a time. Newer work aborts the running piece and replaces a waiting one. */
export class NewestOnly {
  #last: Promise<unknown> = Promise.resolve();
  #newest = new AbortController();

  /**
   * Runs the work once earlier work has ended. Rejects with an `Overtaken` if newer work replaces this work, or after
   * `close`.
   */
  run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = (this.#newest = this.#replaced(new Overtaken()));
    const turn = this.#last.then(() => {
      signal.throwIfAborted();
      return work(signal);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Aborts running, waiting and future work. Resolves once nothing is running. */
  async close(why: string): Promise<void> {
    const reason = new Overtaken(why);
    this.#newest = this.#replaced(reason);
    this.#newest.abort(reason);
    await this.#last;
  }

  /**
   * Creates the controller for the next piece of work and aborts the previous one. After `close`, the new one is
   * aborted, too.
   */
  #replaced(reason: Overtaken): AbortController {
    const { signal } = this.#newest;
    const next = new AbortController();
    if (signal.aborted) next.abort(signal.reason);
    this.#newest.abort(reason);
    return next;
  }
}
