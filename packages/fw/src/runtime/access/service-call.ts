import { isPromise } from "../../lib/promise.ts";
import type { Headers } from "../exchange/exchange.ts";
import { readTrace, type Trace } from "../observe/trace.ts";
import { calledRouteHeader } from "../routing/called-endpoint.ts";
import { bearerToken } from "./bearer.ts";

export interface ServiceVerifier {
  /**
   * Returns the name of the calling service; undefined if the token is forged, expired, or meant for another service.
   * The token must confirm the name that the caller claims.
   */
  verify(token: string, claimedName: string | undefined): Promise<string | undefined> | string | undefined;
}

export const callerHeader = "x-fw-caller";

/** The parts of a request that identify the calling service. */
interface CallerRequest {
  readonly app: { readonly callers?: ServiceVerifier };
  readonly exchange: Headers;
  readonly forwarded: boolean;
  caller: string | undefined;
}

/**
 * Sets `caller` if a valid token identifies the calling service. Returns a promise only if verification is
 * asynchronous. Trust a call's other headers only after that, because any client can send them. A request forwarded for
 * a client is never a call.
 */
export function authenticateService(request: CallerRequest): Promise<void> | undefined {
  const { callers } = request.app;
  if (callers === undefined || request.forwarded) return undefined;
  const token = bearerToken(request.exchange);
  if (token === undefined) return undefined;
  const caller = callers.verify(token, request.exchange.header(callerHeader));
  if (isPromise(caller)) return caller.then((name) => void (request.caller = name));
  request.caller = caller;
  return undefined;
}

/** Returns the name of the called endpoint, if the request names one. Trust it only in calls from a service. */
export function calledRoute(request: Headers): string | undefined {
  return request.header(calledRouteHeader);
}

/** Returns the session id or access token that a call carries for its user; undefined if none is well-formed. */
export function forwardedSessionId(request: Headers): string | undefined {
  const id = request.header("x-fw-session");
  return id !== undefined && /^(?:fwt_)?[\w-]{43}$/.test(id) ? id : undefined;
}

/** The header with a user's credentials for an authenticator. */
export const credentialsHeader = "x-fw-credentials";

/** Returns how long the caller waits for the response, in milliseconds; undefined if it does not say. */
export function calledDeadline(request: Headers): number | undefined {
  const milliseconds = request.header("x-fw-deadline-ms");
  return milliseconds !== undefined && /^\d{1,9}$/.test(milliseconds) ? Number(milliseconds) : undefined;
}

/** Returns the address of the client on whose behalf a service makes the call; "" if there is none. */
export function calledIP(request: Headers): string {
  return request.header("x-fw-client-ip") ?? "";
}

/** Returns the origin at which the client reached the application; "" if there is none. */
export function calledOrigin(request: Headers): string {
  return request.header("x-fw-origin") ?? "";
}

export function calledTrace(request: Headers): Trace | undefined {
  return readTrace(request.header("traceparent"));
}
