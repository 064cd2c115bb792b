import { isPromise } from "../../lib/promise.ts";
import type { Headers } from "../exchange/exchange.ts";
import { readTrace, type Trace } from "../observe/trace.ts";
import { calledRouteHeader } from "../routing/called.ts";
import { bearerToken } from "./bearer.ts";

/** Tells calls of the application's other services from those of anybody else. */
export interface ServiceVerifier {
  /**
   * The name of the service that a token speaks for; undefined where it is forged, has expired, or is for another service. `named` is who
   * the caller says it is, and counts only as far as the token says so, too.
   */
  verify(token: string, named: string | undefined): Promise<string | undefined> | string | undefined;
}

/** Names the service that calls, beside a token that shows who it is. */
export const callerHeader = "x-fw-caller";

/** What a request shows of who calls. */
interface Called {
  readonly app: { readonly callers?: ServiceVerifier };
  readonly exchange: Headers;
  readonly forwarded: boolean;
  caller: string | undefined;
}

/**
 * Notes which service calls; a promise only where that takes a while. What a call says besides its request counts only then: anybody can send
 * such headers. What was handed on for a visitor is no call, whatever it brings.
 */
export function authenticateService(request: Called): Promise<void> | undefined {
  const { callers } = request.app;
  if (callers === undefined || request.forwarded) return undefined;
  const token = bearerToken(request.exchange);
  if (token === undefined) return undefined;
  const caller = callers.verify(token, request.exchange.header(callerHeader));
  if (isPromise(caller)) return caller.then((name) => void (request.caller = name));
  request.caller = caller;
  return undefined;
}

/** The name of the endpoint that a request says it means; it counts only where a service calls. */
export function calledRoute(request: Headers): string | undefined {
  return request.header(calledRouteHeader);
}

/** The session id or access token that a call carries on behalf of its visitor. */
export function forwardedSessionId(request: Headers): string | undefined {
  const id = request.header("x-fw-session");
  return id !== undefined && /^(?:fwt_)?[\w-]{43}$/.test(id) ? id : undefined;
}

/** The header in which a call has the credentials of its visitor that an authenticator reads. */
export const credentialsHeader = "x-fw-credentials";

/** Milliseconds that the caller still waits for the answer. */
export function calledDeadline(request: Headers): number | undefined {
  const milliseconds = request.header("x-fw-deadline-ms");
  return milliseconds !== undefined && /^\d{1,9}$/.test(milliseconds) ? Number(milliseconds) : undefined;
}

/** The address of the visitor on whose behalf a call is made; "" where there is none. */
export function calledIP(request: Headers): string {
  return request.header("x-fw-client-ip") ?? "";
}

/** Where that visitor reached the application; "" where there is none. */
export function calledOrigin(request: Headers): string {
  return request.header("x-fw-origin") ?? "";
}

export function calledTrace(request: Headers): Trace | undefined {
  return readTrace(request.header("traceparent"));
}
