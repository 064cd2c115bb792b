import { Signal } from "./signal.ts";

/** Tracks work in flight, for code that must wait until it has finished. */
export class UnderWay {
  #count = 0;
  #idle = new Signal();

  constructor() {
    this.#idle.raise();
  }

  /** The number of pieces of work in flight. */
  get count(): number {
    return this.#count;
  }

  /** Resolves when no work is in flight. */
  get idle(): Promise<void> {
    return this.#idle.raised;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#count++ === 0) this.#idle = new Signal();
    try {
      return await work();
    } finally {
      if (--this.#count === 0) this.#idle.raise();
    }
  }
}
