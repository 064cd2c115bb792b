import type { Request } from "../request.ts";
import { calledSession } from "../service-call.ts";
import { readSessionCookie } from "./cookie.ts";
import type { Sessions } from "./session.ts";

/**
 * Looks up the session that a request brings, for `request.session`. Undefined, without a promise, where it brings none or the route has a
 * maxAge, being the same for everybody.
 */
export function identify(request: Request): Promise<void> | undefined {
  const { sessions } = request.app;
  if (sessions === undefined || (request.endpoint?.maxAge ?? 0) > 0) return undefined;
  const id = broughtSession(request);
  return id === undefined ? undefined : find(request, sessions, id);
}

/** The id of the session that a request brings: a browser in its cookie, another service in `X-Fw-Session`. */
function broughtSession(request: Request): string | undefined {
  const { headers } = request.req;
  if (request.caller !== undefined) return calledSession(headers);
  return headers.cookie === undefined ? undefined : readSessionCookie(headers.cookie, request.secure);
}

/**
 * The id of the request's session, for services that are called on its behalf; undefined where it has none, as a route with a maxAge.
 * A service that keeps no sessions itself hands on what it was given: who is called looks it up.
 */
export function carriedSession(request: Request): string | undefined {
  const { session, app, endpoint } = request;
  if ((endpoint?.maxAge ?? 0) > 0 || (app.sessions !== undefined && session === undefined)) return undefined;
  return broughtSession(request);
}

async function find(request: Request, sessions: Sessions, id: string): Promise<void> {
  request.session = await sessions.find(id);
}
