import { Fault } from "../../declare/errors.ts";
import { isPromise } from "../../lib/promise.ts";
import { bearerToken, isAccessToken } from "../access/bearer.ts";
import { forwardedSessionId } from "../access/service-call.ts";
import type { BundledAuth } from "../bundle.ts";
import type { Headers } from "../exchange/exchange.ts";
import { readSessionCookie } from "./cookie.ts";
import type { Session, Sessions } from "./session.ts";

/** A request as far as it says who sends it. */
interface Visit {
  readonly app: { readonly sessions: Sessions | undefined; readonly bundle: { readonly auth?: BundledAuth } };
  readonly exchange: Headers;
  readonly endpoint: { readonly maxAge: number } | undefined;
  readonly route: string;
  readonly caller: string | undefined;
  readonly secure: boolean;
  session: Session | undefined;
  bringsSession: boolean;
}

/**
 * Looks up the session that a request brings, for `request.session`, and tells whether it brings one, live or not. It brings none to a
 * route with a maxAge, which is the same for everybody. Without a promise where the store answers at once.
 */
export function identify(request: Visit): Promise<boolean> | boolean {
  const { sessions, bundle } = request.app;
  const nobodySignsIn = sessions === undefined && bundle.auth === undefined;
  if (nobodySignsIn || (request.endpoint?.maxAge ?? 0) > 0) return false;
  const id = sessionIdOf(request);
  if (id === undefined) return false;
  request.bringsSession = true;
  if (sessions === undefined) return true;
  const found = sessions.find(id);
  return isPromise(found) ? found.then((session) => attachSession(request, session)) : attachSession(request, found);
}

/**
 * What a request brings that speaks for somebody: a program its access token, a browser the id in its cookie, another service either in
 * `X-Fw-Session`. Beside a token no cookie speaks, so that whose page sent the request does not matter.
 */
function sessionIdOf(request: Visit): string | undefined {
  if (request.caller !== undefined) return forwardedSessionId(request.exchange);
  const token = accessToken(request);
  if (token !== undefined) return token;
  const cookie = request.exchange.header("cookie");
  return cookie === undefined ? undefined : readSessionCookie(cookie, request.secure);
}

/** The access token that a request brings, live or not; undefined where the application declares none. */
export function accessToken({ app, exchange }: Pick<Visit, "app" | "exchange">): string | undefined {
  if (app.bundle.auth?.tokens !== true) return undefined;
  const authorization = exchange.header("authorization");
  const token = authorization === undefined ? undefined : bearerToken(authorization);
  return token !== undefined && isAccessToken(token) ? token : undefined;
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

/** Throws a Fault where a service reads no sessions, since nothing that asks for the visitor was found in its code. */
export function requireSessions({ app, endpoint, route }: Visit): void {
  if (app.bundle.auth?.readsSessions !== false || (endpoint?.maxAge ?? 0) > 0) return;
  throw new Fault(
    `${route} asked who visits, and its service reads no sessions, because fw found no code in it that asks: call ctx.user() or ctx.maybeUser() in the handler itself and pass on what it returns`,
  );
}

function attachSession(request: Visit, session: Session | undefined): true {
  request.session = session;
  return true;
}
