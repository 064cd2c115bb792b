import type { WatchedEndpoint, WatchedRequest } from "../../runtime/hooks.ts";
import { runningRequest, type RunningRequest } from "./request-events.ts";

/**
 * The requests in progress, and the times at which their handlers start. Stores each request in a slot of an array,
 * which is cheaper than adding it to a set and deleting it.
 */
export class RunningRequests {
  readonly #slots: (WatchedRequest | undefined)[] = [];
  /** By slot, on the clock of `performance.now`; 0 if the handler has not started. */
  readonly #handledAt: number[] = [];
  readonly #free: number[] = [];
  /** Timed requests whose handler has not started, by id. */
  readonly #awaitingHandler = new Map<string, WatchedRequest>();
  readonly #timedEndpoints = new WeakSet<WatchedEndpoint>();

  /** `isTimed` is true to read the clock when the handler starts. */
  add(request: WatchedRequest, isTimed: boolean): void {
    const slot = this.#free.pop() ?? this.#slots.length;
    this.#slots[slot] = request;
    this.#handledAt[slot] = 0;
    request.watchedAs = slot;
    if (isTimed) this.#expectHandler(request);
  }

  /**
   * Returns the milliseconds of a request that passed before its handler, for session, body, gate and policy: all of
   * them if the handler never started, or NaN if unknown. Ignores a request that was never added.
   */
  remove(request: WatchedRequest, ms: number): number {
    const slot = request.watchedAs;
    if (slot < 0) return NaN;
    request.watchedAs = -1;
    this.#slots[slot] = undefined;
    this.#free.push(slot);
    if (this.#awaitingHandler.size > 0 && this.#awaitingHandler.delete(request.requestId)) return ms;
    return this.#gateOf(request, slot);
  }

  all(): readonly RunningRequest[] {
    return this.#slots.flatMap((request, slot) =>
      request === undefined ? [] : [runningRequest(request, this.#gateOf(request, slot))],
    );
  }

  #gateOf({ startedAt }: WatchedRequest, slot: number): number {
    const handledAt = this.#handledAt[slot] ?? 0;
    return handledAt > 0 ? handledAt - startedAt : NaN;
  }

  #expectHandler(request: WatchedRequest): void {
    const { endpoint } = request;
    if (endpoint === undefined) return;
    if (!this.#timedEndpoints.has(endpoint)) this.#timeHandler(endpoint);
    this.#awaitingHandler.set(request.requestId, request);
  }

  /**
   * Replaces the handler of an endpoint, once, with one that records its start, so that neither the runtime nor a built
   * service contains code for that.
   */
  #timeHandler(endpoint: WatchedEndpoint): void {
    const { declaration } = endpoint;
    const handler = declaration.handler as (ctx: HandlerContext, input: unknown, socket: unknown) => unknown;
    this.#timedEndpoints.add(endpoint);
    endpoint.declaration = {
      ...declaration,
      handler: (ctx: HandlerContext, input, socket) => {
        if (this.#awaitingHandler.size > 0) this.#handlerBegan(ctx.requestId, endpoint);
        return handler(ctx, input, socket);
      },
    };
  }

  /** Ignores the handler of any other endpoint that the request's policy or handler calls. */
  #handlerBegan(requestId: string, endpoint: WatchedEndpoint): void {
    const request = this.#awaitingHandler.get(requestId);
    if (request?.endpoint !== endpoint) return;
    this.#awaitingHandler.delete(requestId);
    this.#handledAt[request.watchedAs] = performance.now();
  }
}

/** The part of a handler's context that identifies its request. */
interface HandlerContext {
  readonly requestId: string;
}
