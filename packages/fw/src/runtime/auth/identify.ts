import { Fault } from "../../declare/errors.ts";
import type { Context } from "../../declare/context.ts";
import { isPromise } from "../../lib/promise.ts";
import type { Application } from "../application.ts";
import { CallContext } from "../calls/call-context.ts";
import { originOf } from "../calls/origin.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { authenticate } from "./authenticator.ts";
import { claimOf, type Claim, type Claimable, type Claiming } from "./claim.ts";
import type { Session } from "./sessions.ts";

/** A request for which it is found out who sends it. */
interface Visit extends Claiming {
  readonly app: Claiming["app"] & Application;
  readonly endpoint: BundledEndpoint | undefined;
  readonly ctx: Context;
  readonly route: string;
  claim: Claim | undefined;
  session: Session | undefined;
  bringsSession: boolean;
}

/**
 * Finds out who sends a request, for `request.session`, and tells whether it brings anything that speaks for somebody, live or not. It
 * brings none to a route with a maxAge, which is the same for everybody. Without a promise where the answer is there at once.
 */
export function identify(request: Visit): Promise<boolean> | boolean {
  const { app, endpoint } = request;
  if (isNobodyKnown(app) || isForEverybody(request)) return false;
  const claim = claimOf(request);
  if (claim === undefined) return false;
  request.claim = claim;
  request.bringsSession = true;
  const found = findSession(app, claim, request.ctx, endpoint);
  return isPromise(found) ? found.then((session) => attachSession(request, session)) : attachSession(request, found);
}

/** Whose a claim is; undefined where it is nobody's, and where this service asks nobody. */
export function findSession(
  app: Application,
  claim: Claim,
  ctx: Context,
  endpoint: BundledEndpoint | undefined,
): Promise<Session | undefined> | Session | undefined {
  if (claim.by !== "authenticator") return app.sessions?.find(claim.id);
  // What is no endpoint's is the same for all whom an authenticator knows.
  if (endpoint === undefined) return undefined;
  const origin = { ...originOf(ctx), claim: undefined };
  const nobody = new CallContext({ app, endpoint, outer: ctx, origin, session: undefined });
  return authenticate(app.bundle.authenticators ?? [], claim.credentials, nobody);
}

/** True for a route that is the same for everybody. */
function isForEverybody({ endpoint }: Pick<Visit, "endpoint">): boolean {
  return (endpoint?.maxAge ?? 0) > 0;
}

function isNobodyKnown({ sessions, bundle }: Application): boolean {
  return sessions === undefined && bundle.auth === undefined && bundle.authenticators === undefined;
}

/**
 * What a request has shown of who sends it, for services that are called on its behalf; undefined where that was nobody's, as for a
 * route with a maxAge. A service that asks nobody itself hands on what it was given: who is called finds out whose it is.
 */
export function carriedClaim(request: Visit): Claim | undefined {
  const { claim, session, app } = request;
  if (isNobodyKnown(app)) return isForEverybody(request) ? undefined : claimOf(request);
  if (claim === undefined || session !== undefined) return claim;
  const asks = claim.by === "authenticator" ? !isUnasked(app.bundle) : app.sessions !== undefined;
  return asks ? undefined : claim;
}

/** Throws a Fault where a service finds out of nobody who they are, since nothing that asks for the visitor was found in its code. */
export function requireSessions(request: Visit): void {
  const { bundle } = request.app;
  const asks = bundle.auth?.readsSessions !== false && !isUnasked(bundle);
  if (asks || isForEverybody(request)) return;
  throw new Fault(
    `${request.route} asked who visits, and its service reads no sessions, because fw found no code in it that asks: call ctx.user() or ctx.maybeUser() in the handler itself and pass on what it returns`,
  );
}

/** True in a service that has no code of authenticators. */
function isUnasked({ authenticators = [] }: Claimable): boolean {
  return authenticators.some(({ declaration }) => declaration === undefined);
}

function attachSession(request: Visit, session: Session | undefined): true {
  request.session = session;
  return true;
}
