import { DeadlinePassed } from "../../platform/deadline.ts";
import type { Lifetime } from "../../platform/lifetime.ts";

/** Background work lasts until its deadline: what is told to stop may still end what it has begun. */
export class BackgroundLifetime implements Lifetime {
  readonly #told: AbortSignal;
  #over: AbortController | undefined = undefined;

  constructor(told: AbortSignal) {
    this.#told = told;
  }

  get isOver(): boolean {
    return this.#told.aborted && this.#told.reason instanceof DeadlinePassed;
  }

  get signal(): AbortSignal {
    return (this.#over ?? this.#open()).signal;
  }

  #open(): AbortController {
    const over = (this.#over = new AbortController());
    const end = (): void => {
      if (this.isOver) over.abort(this.#told.reason);
    };
    end();
    this.#told.addEventListener("abort", end, { once: true });
    return over;
  }
}
