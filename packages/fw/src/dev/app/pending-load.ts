import { watchStart } from "../../lib/watch-start.ts";
import type { Failure } from "../protocol.ts";
import type { Exit } from "./process.ts";

export type LoadOutcome =
  | { readonly kind: "loaded"; readonly evaluated: number }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "exited"; readonly exit: Exit }
  /** The modules did not finish evaluating, and the process may hang in them. */
  | { readonly kind: "unfinished"; readonly failure: Failure }
  /** A newer save goes first. The process may hang in the modules. */
  | { readonly kind: "overtaken" };

export interface LoadOptions {
  /** Aborts where a newer save goes first. */
  readonly givesWay: AbortSignal;
  /** Called when the modules take long to evaluate; absent where a debugger may hold them, for as long as it likes. */
  readonly slow: ((seconds: number) => void) | undefined;
}

/** A load that a process has begun and not answered. It ends late or overtaken, too, and `cancel` is then called. */
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

  /** The modules are evaluated: what follows, as the fill of an index, may take its time. */
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
    const message = `the application's modules did not finish evaluating in ${seconds} seconds: does one wait at its top level?`;
    this.#cancel();
    this.settle({ kind: "unfinished", failure: { message } });
  }
}
