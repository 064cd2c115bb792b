import type { Context } from "../../declare/context.ts";
import { StatusError } from "../../declare/errors.ts";
import { isForm } from "../body/form.ts";
import type { ReadForm } from "../body/multipart.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { CallContext } from "../calls/call-context.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { RequestContext } from "../request-context.ts";
import { isUnsafe } from "../routing/route.ts";
import { isCrossOrigin } from "./cross-origin.ts";

/** True for an unsafe request from a browser to a page. Any site's form can submit one, so it needs a token. */
export function needsFormToken({ caller, session }: Request, endpoint: BundledEndpoint): boolean {
  return endpoint.kind === "page" && isUnsafe(endpoint) && caller === undefined && session?.token === undefined;
}

/**
 * True if only the form can contain the token. A request without a token header and without a form is refused before
 * its body is read.
 */
export function hasTokenInForm(request: Request): boolean {
  return request.exchange.header("x-csrf-token") === undefined && isForm(request.exchange);
}

export function refuseCrossOrigin(request: Request): void {
  if (isCrossOrigin(request.exchange)) throw new StatusError(403, messages.csrf);
}

export function requireToken(request: Request, read: ReadForm | undefined): void {
  const token = request.exchange.header("x-csrf-token") ?? read?.form.values.get("_csrf")?.[0];
  if (!request.app.csrf.verify(request, token)) throw new StatusError(403, messages.csrf);
}

/**
 * Returns the token for a form. Returns "" outside requests, and on a page with `maxAge`, which is the same for every
 * user. Also returns "" for another service's anonymous client, because its browser gets no cookie from this service.
 */
export function tokenFor(ctx: Context): string {
  const outer = outsideTransaction(ctx);
  if (outer instanceof CallContext) return tokenOf(outer);
  const request = RequestContext.requestOf(ctx);
  if (request === undefined || (request.endpoint?.maxAge ?? 0) > 0) return "";
  if (request.caller !== undefined && request.session === undefined) return "";
  return request.app.csrf.issue(request);
}

/**
 * Returns the token for a page that another service calls in this process. Returns "" without a session: for an
 * anonymous client, and on a page with `maxAge`.
 */
function tokenOf({ app, session }: CallContext): string {
  return session === undefined ? "" : app.csrf.issueFor(session);
}
