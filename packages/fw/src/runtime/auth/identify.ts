import { Fault } from "../../declare/errors.ts";
import type { Context } from "../../declare/context.ts";
import { isPromise } from "../../lib/promise.ts";
import { hasUsers, type Application } from "../application.ts";
import { CallContext } from "../calls/call-context.ts";
import { originOf } from "../calls/origin.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { anonymous, type Authentication } from "./authentication.ts";
import { authenticate } from "./authenticator.ts";
import { claimOf, type Claim, type ClaimSources, type ClaimRequest } from "./claim.ts";
import type { Session } from "./sessions.ts";

interface IdentifiedRequest extends ClaimRequest {
  readonly app: ClaimRequest["app"] & Application;
  readonly endpoint: BundledEndpoint | undefined;
  readonly ctx: Context;
  readonly route: string;
}

/**
 * Returns the credential of a request and its session. Returns `anonymous` if there is no credential, and for a route
 * with a maxAge, whose response is the same for every user. Returns a promise only if the lookup is asynchronous.
 */
export function identify(request: IdentifiedRequest): Promise<Authentication> | Authentication {
  const { app, endpoint } = request;
  if (!hasUsers(app) || isUserIndependent(request)) return anonymous;
  const claim = claimOf(request);
  if (claim === undefined) return anonymous;
  const session = findSession(app, claim, request.ctx, endpoint);
  return isPromise(session) ? session.then((session) => ({ claim, session })) : { claim, session };
}

/** Resolves a credential to a session; undefined if it is invalid, or if this service cannot check it. */
export function findSession(
  app: Application,
  claim: Claim,
  ctx: Context,
  endpoint: BundledEndpoint | undefined,
): Promise<Session | undefined> | Session | undefined {
  if (claim.by !== "authenticator") return app.sessions?.find(claim.id);
  // Requests without an endpoint never depend on an authenticator's user.
  if (endpoint === undefined) return undefined;
  const origin = { ...originOf(ctx), claim: undefined };
  const anonymous = new CallContext({ app, endpoint, outer: ctx, origin, session: undefined });
  return authenticate(app.bundle.authenticators ?? [], claim.credentials, anonymous);
}

/** True for a route whose response is the same for every user. */
function isUserIndependent({ endpoint }: Pick<IdentifiedRequest, "endpoint">): boolean {
  return (endpoint?.maxAge ?? 0) > 0;
}

/**
 * Returns the credential to forward to called services; undefined if it is invalid or the route has a maxAge. A
 * credential that this service cannot check is forwarded, and the called service checks it.
 */
export function claimToForward(request: IdentifiedRequest & Authentication): Claim | undefined {
  const { claim, session, app } = request;
  if (!hasUsers(app)) return isUserIndependent(request) ? undefined : claimOf(request);
  if (claim === undefined || session !== undefined) return claim;
  const canCheck = claim.by === "authenticator" ? !lacksAuthenticators(app.bundle) : app.sessions !== undefined;
  return canCheck ? undefined : claim;
}

/**
 * Throws a Fault if this service cannot identify users, because fw found no code in it that reads the user. Exempts
 * routes with a maxAge, which never have a user.
 */
export function requireSessions(request: IdentifiedRequest): void {
  const { bundle } = request.app;
  const canIdentify = bundle.auth?.readsSessions !== false && !lacksAuthenticators(bundle);
  if (canIdentify || isUserIndependent(request)) return;
  throw new Fault(
    `${request.route} asked for the user, but its service reads no sessions, because fw found no call of ctx.user() or ctx.maybeUser() in its code: call one of them in the handler itself and pass the user on`,
  );
}

/** True in a service without the code of its authenticators. */
function lacksAuthenticators({ authenticators = [] }: ClaimSources): boolean {
  return authenticators.some(({ declaration }) => declaration === undefined);
}
