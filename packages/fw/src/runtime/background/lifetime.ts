import { DeadlinePassed } from "../../platform/deadline.ts";
import type { Lifetime } from "../../platform/lifetime.ts";

/**
 * The lifetime of background work, which lasts until its deadline: after a request to stop it may finish what it has
 * begun.
 */
export class BackgroundLifetime implements Lifetime {
  readonly #stopping: AbortSignal;
  #ended: AbortController | undefined = undefined;

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
  }

  get isOver(): boolean {
    return this.#stopping.aborted && this.#stopping.reason instanceof DeadlinePassed;
  }

  get signal(): AbortSignal {
    return (this.#ended ?? this.#open()).signal;
  }

  #open(): AbortController {
    const controller = (this.#ended = new AbortController());
    const end = (): void => {
      if (this.isOver) controller.abort(this.#stopping.reason);
    };
    end();
    this.#stopping.addEventListener("abort", end, { once: true });
    return controller;
  }
}
