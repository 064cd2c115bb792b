import type { Headers } from "../exchange/exchange.ts";
import { readTrace, type Trace } from "../observe/trace.ts";
import { calledRouteHeader } from "../routing/called.ts";
import { bearerToken } from "./bearer.ts";

/** Tells calls of the application's other services from those of anybody else. */
export interface ServiceVerifier {
  /** The name of the service that a token speaks for; undefined where it is forged, has expired, or is for another service. */
  verify(token: string): string | undefined;
}

/** What a request shows of who calls. */
interface Called {
  readonly app: { readonly callers: ServiceVerifier | undefined };
  readonly exchange: Headers;
  readonly forwarded: boolean;
  caller: string | undefined;
}

/**
 * Notes which service calls. What a call says besides its request counts only then: anybody can send such headers. What was handed
 * on for a visitor is no call, whatever it brings.
 */
export function authenticateService(request: Called): void {
  const { callers } = request.app;
  if (callers === undefined || request.forwarded) return;
  const authorization = request.exchange.header("authorization");
  const token = authorization === undefined ? undefined : bearerToken(authorization);
  if (token !== undefined) request.caller = callers.verify(token);
}

/** The name of the endpoint that a service's call means; undefined where none calls, or it is of a version that names none. */
export function calledRoute(request: Called): string | undefined {
  const name = request.exchange.header(calledRouteHeader);
  if (name === undefined) return undefined;
  authenticateService(request);
  return request.caller === undefined ? undefined : name;
}

/** The session id that a call carries on behalf of its visitor. */
export function forwardedSessionId(request: Headers): string | undefined {
  const id = request.header("x-fw-session");
  return id !== undefined && /^[\w-]{43}$/.test(id) ? id : undefined;
}

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
