import type { RequestWatcher, WatchedRequest } from "../../runtime/hooks.ts";
import type { Span, SpanOperation } from "../../runtime/observe/span.ts";

/**
 * Forwards calls until the watcher throws, then ignores them, so that recording never makes a request fail. A service
 * of an older build may call the watcher in another way. Calls `onFailure` once.
 *
 * Each method has its own `try` around a single call target, which V8 can inline.
 */
export class FailSafeWatcher implements RequestWatcher {
  readonly #onFailure: (error: unknown) => void;
  #watcher: RequestWatcher | undefined;

  constructor(watcher: RequestWatcher, onFailure: (error: unknown) => void) {
    this.#watcher = watcher;
    this.#onFailure = onFailure;
  }

  requestBegan(request: WatchedRequest): void {
    try {
      this.#watcher?.requestBegan(request);
    } catch (error) {
      this.#fail(error);
    }
  }

  requestEnded(request: WatchedRequest, ms: number, status: number): void {
    try {
      this.#watcher?.requestEnded(request, ms, status);
    } catch (error) {
      this.#fail(error);
    }
  }

  spanEnded(span: Span, operation?: SpanOperation): void {
    try {
      this.#watcher?.spanEnded(span, operation);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#watcher = undefined;
    this.#onFailure(error);
  }
}
