import type { Context } from "../../declare/context.ts";
import { StatusError } from "../../declare/errors.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { isByProgram } from "../auth/claim.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { isUnsafe } from "../routing/route.ts";
import { mayBeCrossOrigin } from "./cross-origin.ts";
import { mayActFrom } from "./origins.ts";

/** Throws a 401 if the route requires a user and no one is signed in. */
export function requireSignIn(ctx: Context, endpoint: BundledEndpoint): void {
  if (endpoint.signIn && ctx.maybeUser() === undefined) throw new StatusError(401, messages.signIn);
}

/** Throws a 403 for a private route, unless another service calls it or the platform has already checked the caller. */
export function requireInternalCaller({ app, caller }: Request, endpoint: BundledEndpoint): void {
  if (!endpoint.private || caller !== undefined) return;
  if (app.settings.privateRoutes === "refused" || app.callers !== undefined)
    throw new StatusError(403, messages.privateRoute);
}

/**
 * Throws a 403 for an unsafe request that another site's page may have sent with the user's session. Exempts pages
 * (they need a form token), other services, programs with explicit credentials, and origins that the Service trusts
 * with credentials.
 */
export function requireOwnSite(request: Request, endpoint: BundledEndpoint): void {
  if (endpoint.kind === "page" || !isUnsafe(endpoint, request) || request.caller !== undefined) return;
  if (isByProgram(request.claim)) return;
  if (mayBeCrossOrigin(request.exchange) && !mayActFrom(request.app, endpoint, request.exchange))
    throw new StatusError(403, messages.crossSite);
}
