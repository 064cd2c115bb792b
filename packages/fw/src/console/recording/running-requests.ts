import type { WatchedEndpoint, WatchedRequest } from "../../runtime/hooks.ts";
import { runningRequest, type RunningRequest } from "./request-events.ts";

/** The maximum number of requests in `#awaitingHandler`, which each handler searches. */
const mostAwaiting = 100;

/**
 * The requests in progress and the start times of their handlers. An array slot for each request is cheaper than adding
 * it to a set and deleting it.
 */
export class RunningRequests {
  /**
   * The newest request that is not timed, if it is in progress. Under load, most requests end before the next one
   * begins, so they take no slot.
   */
  #newest: WatchedRequest | undefined = undefined;
  readonly #slots: (WatchedRequest | undefined)[] = [];
  /** By slot, the time when the handler started, by `performance.now`; 0 before. */
  readonly #handledAt: number[] = [];
  readonly #free: number[] = [];
  /**
   * Timed requests whose handler has not started. Not a `Map`: V8 links each outgrown table to its successor, so a
   * table in the old generation keeps all later ones in memory.
   */
  readonly #awaitingHandler: WatchedRequest[] = [];
  readonly #timedEndpoints = new WeakSet<WatchedEndpoint>();

  /**
   * If `isTimed`, records when the request's handler starts, unless too many requests already wait for their handlers.
   */
  add(request: WatchedRequest, isTimed: boolean): void {
    if (isTimed) {
      this.#takeSlot(request);
      return this.#expectHandler(request);
    }
    if (this.#newest !== undefined) this.#takeSlot(this.#newest);
    this.#newest = request;
  }

  /** Removes a request that is not timed and took no slot. Returns false for other requests. */
  removeNewest(request: WatchedRequest): boolean {
    if (this.#newest !== request) return false;
    this.#newest = undefined;
    return true;
  }

  /**
   * Returns the milliseconds before the request's handler started: `ms` if it never started, NaN if unknown. Ignores a
   * request that was never added.
   */
  remove(request: WatchedRequest, ms: number): number {
    if (this.removeNewest(request)) return NaN;
    const slot = request.watchedAs;
    if (slot < 0) return NaN;
    request.watchedAs = -1;
    this.#slots[slot] = undefined;
    this.#free.push(slot);
    if (this.#awaitingHandler.length > 0 && this.#stopAwaiting(request)) return ms;
    return this.#gateOf(request, slot);
  }

  all(): readonly RunningRequest[] {
    const requests = this.#slots.flatMap((request, slot) =>
      request === undefined ? [] : [runningRequest(request, this.#gateOf(request, slot))],
    );
    return this.#newest === undefined ? requests : [...requests, runningRequest(this.#newest, NaN)];
  }

  #takeSlot(request: WatchedRequest): void {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = request;
    this.#handledAt[slot] = 0;
    request.watchedAs = slot;
  }

  #gateOf({ startedAt }: WatchedRequest, slot: number): number {
    const handledAt = this.#handledAt[slot] ?? 0;
    return handledAt > 0 ? handledAt - startedAt : NaN;
  }

  #expectHandler(request: WatchedRequest): void {
    const { endpoint } = request;
    if (endpoint === undefined || this.#awaitingHandler.length === mostAwaiting) return;
    if (!this.#timedEndpoints.has(endpoint)) this.#timeHandler(endpoint);
    this.#awaitingHandler.push(request);
  }

  /** Removes a request from `#awaitingHandler`. Returns false if it was not in the list. */
  #stopAwaiting(request: WatchedRequest): boolean {
    const index = this.#awaitingHandler.indexOf(request);
    if (index < 0) return false;
    const last = this.#awaitingHandler.pop();
    if (last !== undefined && last !== request) this.#awaitingHandler[index] = last;
    return true;
  }

  /**
   * Wraps the handler of an endpoint to record its start. Neither the runtime nor a built service contains code for
   * that.
   */
  #timeHandler(endpoint: WatchedEndpoint): void {
    const { declaration } = endpoint;
    const handler = declaration.handler as (ctx: HandlerContext, input: unknown, socket: unknown) => unknown;
    this.#timedEndpoints.add(endpoint);
    endpoint.declaration = {
      ...declaration,
      handler: (ctx: HandlerContext, input, socket) => {
        if (this.#awaitingHandler.length > 0) this.#handlerBegan(ctx.requestId, endpoint);
        return handler(ctx, input, socket);
      },
    };
  }

  /**
   * Records the start of a request's handler. Ignores the handlers of other endpoints that its policy or handler calls.
   */
  #handlerBegan(requestId: string, endpoint: WatchedEndpoint): void {
    const request = this.#awaitingHandler.find((each) => each.requestId === requestId);
    if (request?.endpoint !== endpoint) return;
    this.#stopAwaiting(request);
    this.#handledAt[request.watchedAs] = performance.now();
  }
}

/** The part of a handler's context that identifies its request. */
interface HandlerContext {
  readonly requestId: string;
}
