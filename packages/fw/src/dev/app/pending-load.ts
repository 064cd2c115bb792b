import { watchStart } from "../../lib/watch-start.ts";
import type { Failure } from "../protocol.ts";
import type { Exit } from "./process.ts";

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly evaluated: number }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "exited"; readonly exit: Exit }
  /** The modules have not finished evaluating; their process may hang in them. */
  | { readonly kind: "unfinished"; readonly failure: Failure }
  /** A newer save has replaced this one; the process may hang in the modules. */
  | { readonly kind: "overtaken" };

export interface LoadOptions {
  /** Aborts if a newer save should load instead. */
  readonly givesWay: AbortSignal;
  /** Called if the modules take long to evaluate; absent with a debugger, which may pause them. */
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

  /** Called when the modules are evaluated; what follows, such as filling an index, has no time limit. */
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
