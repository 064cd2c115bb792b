import type { Context } from "../../declare/context.ts";
import { StatusError } from "../../declare/errors.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { isByProgram } from "../auth/claim.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { isUnsafe } from "../routing/route.ts";
import { mayBeCrossOrigin } from "./cross-origin.ts";
import { mayActFrom } from "./origins.ts";

/** Refuses who is not signed in on a route that asks for it. Throws a StatusError 401. */
export function requireSignIn(ctx: Context, endpoint: BundledEndpoint): void {
  if (endpoint.signIn && ctx.maybeUser() === undefined) throw new StatusError(401, messages.signIn);
}

/** Refuses outsiders on a private route, unless a platform before the service has done so. Throws a StatusError 403. */
export function requireInsider({ app, caller }: Request, endpoint: BundledEndpoint): void {
  if (!endpoint.private || caller !== undefined) return;
  if (app.settings.privateRoutes === "refused" || app.callers !== undefined)
    throw new StatusError(403, messages.privateRoute);
}

/**
 * Refuses another site that changes something with the session of who is signed in here; a page asks for its token instead, and
 * another service is no browser, nor is a program that shows its credentials, and an origin that the Service names with its credentials is let in. Throws a StatusError 403.
 */
export function requireOwnSite(request: Request, endpoint: BundledEndpoint): void {
  if (endpoint.kind === "page" || !isUnsafe(endpoint, request) || request.caller !== undefined) return;
  if (isByProgram(request.claim)) return;
  if (mayBeCrossOrigin(request.exchange) && !mayActFrom(request.app, endpoint, request.exchange))
    throw new StatusError(403, messages.crossSite);
}
