import { formatDuration } from "../../lib/duration.ts";
import { remoteMs } from "../../lib/limits.ts";
import { isA } from "../../lib/thrown.ts";

/** The maximum delay that a timer supports, in milliseconds. */
export const longestTimerMs = 2_147_483_647;

/** Ends a call early if its caller leaves or its time is up. */
export class CallBounds {
  readonly #call: string;
  readonly #signal: AbortSignal;
  readonly #onAbort: () => void;
  #timer: NodeJS.Timeout;
  #restarts: boolean;
  #cut: ((error: Error) => void) | undefined;
  #error: Error | undefined;

  /** `milliseconds` is the time left until the caller's deadline, if any; `what` describes the call in errors. */
  constructor(what: string, signal: AbortSignal, milliseconds: number | undefined) {
    this.#call = what;
    this.#signal = signal;
    this.#onAbort = () => this.#fail(asError(signal.reason));
    this.#restarts = milliseconds === undefined;
    this.#timer = this.#startTimer(milliseconds ?? remoteMs);
    signal.addEventListener("abort", this.#onAbort);
    if (signal.aborted) this.#onAbort();
    else if (milliseconds !== undefined && milliseconds <= 0) this.#fail(new Error(`no time left for ${what}`));
  }

  /** Calls `cut` when the call must end, immediately if it already must. */
  onEnd(cut: (error: Error) => void): void {
    this.#cut = cut;
    if (this.#error !== undefined) cut(this.#error);
  }

  /** Settles like `work`, or rejects if the call ends early. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onEnd(reject);
      work.then(resolve, reject);
    });
  }

  /** Throws the reason if the call must end. */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /**
   * Restarts the timer after bytes were sent or received. A caller's deadline prevents this until the response arrives.
   */
  progress(): void {
    if (this.#restarts && this.#error === undefined) this.#timer.refresh();
  }

  /** Marks that the response has arrived. From now on, each chunk of it restarts the timer. */
  markAnswered(): void {
    if (this.#restarts || this.#error !== undefined) return this.progress();
    clearTimeout(this.#timer);
    this.#restarts = true;
    this.#timer = this.#startTimer(remoteMs);
  }

  /** Stops supervising the call. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#cut = undefined;
  }

  #startTimer(milliseconds: number): NodeJS.Timeout {
    const bound = Math.min(Math.max(milliseconds, 0), longestTimerMs);
    return setTimeout(
      () => this.#fail(new Error(`${this.#call} took more than ${formatDuration(Math.ceil(bound))}`)),
      bound,
    );
  }

  #fail(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    clearTimeout(this.#timer);
    this.#cut?.(error);
  }
}

function asError(reason: unknown): Error {
  return isA(reason, Error) ? reason : new Error("the call was canceled", { cause: reason });
}
