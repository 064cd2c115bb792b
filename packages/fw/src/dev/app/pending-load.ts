import { watchStart } from "../../lib/watch-start.ts";
import type { Failure } from "../protocol.ts";
import type { Exit } from "./process.ts";

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly evaluated: number }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "exited"; readonly exit: Exit }
  /** Evaluation took too long; the process may be stuck in the modules. */
  | { readonly kind: "unfinished"; readonly failure: Failure }
  /** A newer save has replaced this one; the process may be stuck in the modules. */
  | { readonly kind: "overtaken" };

export interface LoadOptions {
  /** Aborts if a newer save should load instead. */
  readonly givesWay: AbortSignal;
  /** Called when evaluation is slow; undefined under a debugger, which may pause it. */
  readonly slow: ((seconds: number) => void) | undefined;
}

/** A load in progress. If it takes too long or is overtaken, it calls `cancel` and settles. */
export class PendingLoad {
  readonly outcome: Promise<LoadOutcome>;
  readonly #options: LoadOptions;
  readonly #cancel: () => void;
  readonly #stopWatch: () => void;
  #resolve: (outcome: LoadOutcome) => void = () => {};

  constructor(options: LoadOptions, cancel: () => void) {
    this.#options = options;
    this.#cancel = cancel;
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
    const { givesWay, slow } = options;
    this.#stopWatch = slow === undefined ? () => {} : watchStart({ slow, late: (seconds) => this.#onLate(seconds) });
    if (givesWay.aborted) this.#onOvertaken();
    else givesWay.addEventListener("abort", this.#onOvertaken, { once: true });
  }

  /** Stops the time limit once the modules are evaluated: later work, such as filling an index, may take any time. */
  evaluated(): void {
    this.#stopWatch();
  }

  settle(outcome: LoadOutcome): void {
    this.#stopWatch();
    this.#options.givesWay.removeEventListener("abort", this.#onOvertaken);
    this.#resolve(outcome);
  }

  readonly #onOvertaken = (): void => {
    this.#cancel();
    this.settle({ kind: "overtaken" });
  };

  #onLate(seconds: number): void {
    const message = `the application's modules did not finish evaluating within ${seconds} seconds: does one await something at its top level?`;
    this.#cancel();
    this.settle({ kind: "unfinished", failure: { message } });
  }
}
