import { isPromise } from "../../lib/promise.ts";
import { forwardedSessionId } from "../access/service-call.ts";
import type { Headers } from "../exchange/exchange.ts";
import { readSessionCookie } from "./cookie.ts";
import type { Session, Sessions } from "./session.ts";

/** A request as far as it says who sends it. */
interface Visit {
  readonly app: { readonly sessions: Sessions | undefined };
  readonly exchange: Headers;
  readonly endpoint: { readonly maxAge: number } | undefined;
  readonly caller: string | undefined;
  readonly secure: boolean;
  session: Session | undefined;
}

/**
 * Looks up the session that a request brings, for `request.session`, and tells whether it brings one, live or not. It brings none to a
 * route with a maxAge, which is the same for everybody. Without a promise where the store answers at once.
 */
export function identify(request: Visit): Promise<boolean> | boolean {
  const { sessions } = request.app;
  if (sessions === undefined || (request.endpoint?.maxAge ?? 0) > 0) return false;
  const id = sessionIdOf(request);
  if (id === undefined) return false;
  const found = sessions.find(id);
  return isPromise(found) ? found.then((session) => attachSession(request, session)) : attachSession(request, found);
}

/** The id of the session that a request brings: a browser in its cookie, another service in `X-Fw-Session`. */
function sessionIdOf(request: Visit): string | undefined {
  if (request.caller !== undefined) return forwardedSessionId(request.exchange);
  const cookie = request.exchange.header("cookie");
  return cookie === undefined ? undefined : readSessionCookie(cookie, request.secure);
}

/**
 * The id of the request's session, for services that are called on its behalf; undefined where it has none, as a route with a maxAge.
 * A service that keeps no sessions itself hands on what it was given: who is called looks it up.
 */
export function carriedSession(request: Visit): string | undefined {
  const { session, app, endpoint } = request;
  if ((endpoint?.maxAge ?? 0) > 0 || (app.sessions !== undefined && session === undefined)) return undefined;
  return sessionIdOf(request);
}

function attachSession(request: Visit, session: Session | undefined): true {
  request.session = session;
  return true;
}
