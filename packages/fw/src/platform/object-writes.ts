import { isContentType } from "../lib/content-type.ts";
import { objectPage } from "../lib/limits.ts";
import { closedError, PlatformError } from "./errors.ts";

/** The writes of objects that are coming in. */
export class ObjectWrites {
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** Runs a write, whose signal aborts with the caller's and when the store is closed. */
  async run<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const abort = (): void => controller.abort(given?.reason);
    if (given?.aborted) abort();
    given?.addEventListener("abort", abort);
    const working = work(controller.signal);
    this.#running.set(controller, working);
    try {
      return await working;
    } finally {
      this.#running.delete(controller);
      given?.removeEventListener("abort", abort);
    }
  }

  /** Ends those that are still coming in, and waits for those that are being committed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const controller of this.#running.keys()) controller.abort(closedError());
    await Promise.allSettled(this.#running.values());
  }
}

/** Checks what a body is to be written as; where that fails, the body is let go. */
export function checkWrite(body: ReadableStream<Uint8Array>, check: () => void): void {
  try {
    check();
  } catch (error) {
    body.cancel(error).catch(() => {});
    throw error;
  }
}

export function checkContentType(contentType: string): void {
  if (!isContentType(contentType))
    throw new PlatformError("content-type", `${JSON.stringify(contentType)} is not a content type`);
}

export function checkPageSize(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > objectPage)
    throw new PlatformError("query", `a page has 1 to ${objectPage} objects, not ${limit}`);
}
