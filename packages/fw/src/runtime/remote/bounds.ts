import { formatDuration } from "../../lib/duration.ts";
import { remoteMs } from "../../lib/limits.ts";
import { isA } from "../../lib/thrown.ts";

/** Milliseconds that a timer can be set for. */
export const longestTimerMs = 2_147_483_647;

/** What ends a call before its answer is there: who asked for it has gone, or its time is over. */
export class CallBounds {
  readonly #what: string;
  readonly #signal: AbortSignal;
  readonly #cancelled: () => void;
  #timer: NodeJS.Timeout;
  #patient: boolean;
  #cut: ((error: Error) => void) | undefined;
  #error: Error | undefined;

  /** `milliseconds` is the time that is left, if the caller has so little; `what` names the call in a sentence. */
  constructor(what: string, signal: AbortSignal, milliseconds: number | undefined) {
    this.#what = what;
    this.#signal = signal;
    this.#cancelled = () => this.#fail(asError(signal.reason));
    this.#patient = milliseconds === undefined;
    this.#timer = this.#late(milliseconds ?? remoteMs);
    signal.addEventListener("abort", this.#cancelled);
    if (signal.aborted) this.#cancelled();
    else if (milliseconds !== undefined && milliseconds <= 0)
      this.#fail(new Error(`there was no time left for ${what}`));
  }

  /** Calls `cut` when the call is to end, also where that has been so before. */
  onEnd(cut: (error: Error) => void): void {
    this.#cut = cut;
    if (this.#error !== undefined) cut(this.#error);
  }

  /** What `work` comes to, unless the call ends before. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onEnd(reject);
      work.then(resolve, reject);
    });
  }

  /** Throws what ended the call. */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Bytes went or came: where no deadline was set, the time begins anew. */
  moved(): void {
    if (this.#patient && this.#error === undefined) this.#timer.refresh();
  }

  /** The answer is here and its bytes follow at the pace of who reads them. */
  answered(): void {
    if (this.#patient || this.#error !== undefined) return this.moved();
    clearTimeout(this.#timer);
    this.#patient = true;
    this.#timer = this.#late(remoteMs);
  }

  /** The call is over. */
  close(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#cancelled);
    this.#cut = undefined;
  }

  #late(milliseconds: number): NodeJS.Timeout {
    const bound = Math.min(Math.max(milliseconds, 0), longestTimerMs);
    return setTimeout(
      () => this.#fail(new Error(`${this.#what} took more than ${formatDuration(Math.ceil(bound))}`)),
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
  return isA(reason, Error) ? reason : new Error("the call was cancelled", { cause: reason });
}
