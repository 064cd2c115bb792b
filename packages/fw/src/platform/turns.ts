/** First come, first served, by name, within this process. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when all who asked before have given their turn back, or after so many milliseconds; then call the result. */
  async take(name: string, milliseconds: number): Promise<() => void> {
    const before = this.#last.get(name);
    let resolve: (() => void) | undefined;
    const promise = new Promise<void>((done) => (resolve = done));
    this.#last.set(name, promise);
    if (before !== undefined) await atMost(before, milliseconds);
    return () => {
      if (this.#last.get(name) === promise) this.#last.delete(name);
      resolve?.();
    };
  }
}

async function atMost(turn: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([turn, new Promise<void>((done) => (timer = setTimeout(done, milliseconds)))]);
  clearTimeout(timer);
}
