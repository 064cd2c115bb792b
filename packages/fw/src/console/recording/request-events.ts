import type { WatchedRequest } from "../../runtime/hooks.ts";
import { traceIdOf } from "../../runtime/observe/trace.ts";

export interface RunningRequest extends Pick<WatchedRequest, "path" | "route" | "service" | "caller" | "parent"> {
  /** Distinguishes requests from other events. */
  readonly kind: "request";
  readonly id: string;
  /** The trace id, shared with all requests to other services that result from this one. */
  readonly trace: string;
  readonly method: string;
  /** The start in milliseconds since 1970. */
  readonly at: number;
  /** The elapsed milliseconds. */
  readonly ms: number;
  /**
   * Milliseconds before the handler started: session, body, gate and policy. Equal to `ms` if the handler never
   * started; undefined while the request waits for its handler, and for most requests under load.
   */
  readonly gate: number | undefined;
  readonly user: string | undefined;
  /** The status of the response; undefined while the request is in progress. */
  readonly status: number | undefined;
}

export interface RequestEvent extends RunningRequest {
  /** 499 if the client disconnected first. */
  readonly status: number;
}

/** The properties that most requests do not have. */
export interface RequestRelations extends Pick<RunningRequest, "caller" | "parent" | "user"> {
  readonly trace: string | undefined;
}

/** Read once per process, which saves a call for each request. */
const { timeOrigin } = performance;

/** Returns the start of a request in milliseconds since 1970. */
export function startOf({ startedAt }: Pick<WatchedRequest, "startedAt">): number {
  return timeOrigin + startedAt;
}

/** Converts NaN to undefined, which typed arrays cannot store. */
export function numberOf(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns the incoming trace, the caller and the user of a request; undefined if it has none of them. */
export function relationsOf(request: WatchedRequest): RequestRelations | undefined {
  const { foreignTrace, caller, session } = request;
  if (foreignTrace === undefined && caller === undefined && session === undefined) return undefined;
  return { trace: foreignTrace, caller, parent: request.parent, user: session?.identity.email };
}

/** Describes a request in progress. `gate` is NaN if it is unknown. */
export function runningRequest(request: WatchedRequest, gate: number): RunningRequest {
  return describe(request, performance.now() - request.startedAt, undefined, gate);
}

/** Describes a completed request. `gate` is NaN if it is unknown. */
export function requestEvent(request: WatchedRequest, ms: number, status: number, gate: number): RequestEvent {
  return describe(request, ms, status, gate);
}

function describe<Status extends number | undefined>(
  request: WatchedRequest,
  ms: number,
  status: Status,
  gate: number,
): RunningRequest & { readonly status: Status } {
  const { requestId, path, route, service } = request;
  const relations = relationsOf(request);
  return {
    kind: "request",
    id: requestId,
    trace: relations?.trace ?? traceIdOf(requestId),
    method: request.exchange.method,
    path,
    route,
    at: startOf(request),
    ms,
    gate: numberOf(gate),
    service,
    caller: relations?.caller,
    parent: relations?.parent,
    user: relations?.user,
    status,
  };
}
