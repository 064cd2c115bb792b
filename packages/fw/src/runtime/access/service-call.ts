import type { IncomingHttpHeaders } from "node:http";
import { readTrace, type Trace } from "../observe/trace.ts";
import type { Request } from "../request.ts";
import { calledRouteHeader } from "../routing/called.ts";
import { bearerToken } from "./bearer.ts";

/** Tells calls of the application's other services from those of anybody else. */
export interface ServiceVerifier {
  /** The name of the service that a token speaks for; undefined where it is forged, has expired, or is for another service. */
  verify(token: string): string | undefined;
}

/**
 * Notes which service calls. What a call says besides its request counts only then: anybody can send such headers. What was handed
 * on for a visitor is no call, whatever it brings.
 */
export function authenticateService(request: Request): void {
  const { callers } = request.app;
  if (callers === undefined || request.forwarded) return;
  const { authorization } = request.req.headers;
  const token = authorization === undefined ? undefined : bearerToken(authorization);
  if (token !== undefined) request.caller = callers.verify(token);
}

/** The name of the endpoint that a service's call means; undefined where none calls, or it is of a version that names none. */
export function calledRoute(request: Request): string | undefined {
  const name = request.req.headers[calledRouteHeader];
  if (typeof name !== "string") return undefined;
  authenticateService(request);
  return request.caller === undefined ? undefined : name;
}

/** The session id that a call carries on behalf of its visitor. */
export function forwardedSessionId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers["x-fw-session"];
  return typeof id === "string" && /^[\w-]{43}$/.test(id) ? id : undefined;
}

/** Milliseconds that the caller still waits for the answer. */
export function calledDeadline(headers: IncomingHttpHeaders): number | undefined {
  const milliseconds = headers["x-fw-deadline-ms"];
  return typeof milliseconds === "string" && /^\d{1,9}$/.test(milliseconds) ? Number(milliseconds) : undefined;
}

/** The address of the visitor on whose behalf a call is made; "" where there is none. */
export function calledIP(headers: IncomingHttpHeaders): string {
  const ip = headers["x-fw-client-ip"];
  return typeof ip === "string" ? ip : "";
}

/** Where that visitor reached the application; "" where there is none. */
export function calledOrigin(headers: IncomingHttpHeaders): string {
  const origin = headers["x-fw-origin"];
  return typeof origin === "string" ? origin : "";
}

export function calledTrace(headers: IncomingHttpHeaders): Trace | undefined {
  const { traceparent } = headers;
  return readTrace(typeof traceparent === "string" ? traceparent : undefined);
}
