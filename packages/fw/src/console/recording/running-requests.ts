import type { WatchedRequest } from "../../runtime/hooks.ts";

/**
 * The requests in progress. Stores each in a slot of an array, which is cheaper than adding it to a set and deleting
 * it.
 */
export class RunningRequests {
  readonly #slots: (WatchedRequest | undefined)[] = [];
  readonly #free: number[] = [];

  add(request: WatchedRequest): void {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = request;
    request.watchedAs = slot;
  }

  /** Ignores a request that was never added. */
  remove(request: WatchedRequest): void {
    const slot = request.watchedAs;
    if (slot < 0) return;
    request.watchedAs = -1;
    this.#slots[slot] = undefined;
    this.#free.push(slot);
  }

  all(): readonly WatchedRequest[] {
    return this.#slots.filter((request) => request !== undefined);
  }
}
