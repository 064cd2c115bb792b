import { Signal } from "./signal.ts";

/** What is done with something that is to end after it. */
export class UnderWay {
  #count = 0;
  #idle = new Signal();

  constructor() {
    this.#idle.give();
  }

  /** Resolves when nothing is under way. */
  get idle(): Promise<void> {
    return this.#idle.given;
  }

  async use<T>(work: () => Promise<T>): Promise<T> {
    if (this.#count++ === 0) this.#idle = new Signal();
    try {
      return await work();
    } finally {
      if (--this.#count === 0) this.#idle.give();
    }
  }
}
