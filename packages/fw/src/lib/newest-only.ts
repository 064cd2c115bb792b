/** The reason of a signal that ends work which is not wanted any more; nothing is wrong with it. */
export class Overtaken extends Error {
  constructor(message = "a newer one goes first") {
    super(message);
  }
}

/** Runs one piece of work at a time. A newer one aborts the one that runs and replaces one that waits. */
export class NewestOnly {
  #last: Promise<unknown> = Promise.resolve();
  #newest = new AbortController();

  /** Rejects with an `Overtaken` where newer work takes its place, and after `close`. */
  run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal } = (this.#newest = this.#replaced(new Overtaken()));
    const turn = this.#last.then(() => {
      signal.throwIfAborted();
      return work(signal);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Aborts what runs, what waits and what still comes. Resolves when nothing runs. */
  async close(why: string): Promise<void> {
    const reason = new Overtaken(why);
    this.#newest = this.#replaced(reason);
    this.#newest.abort(reason);
    await this.#last;
  }

  /** The controller of the next piece of work; that of the one before is aborted. A closed queue stays closed. */
  #replaced(reason: Overtaken): AbortController {
    const { signal } = this.#newest;
    const next = new AbortController();
    if (signal.aborted) next.abort(signal.reason);
    this.#newest.abort(reason);
    return next;
  }
}
