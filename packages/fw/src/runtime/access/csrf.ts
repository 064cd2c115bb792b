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

/** A page that changes something can be submitted by any site's form, so it asks browsers for a token. */
export function isGuarded({ caller, session }: Request, endpoint: BundledEndpoint): boolean {
  return endpoint.kind === "page" && isUnsafe(endpoint) && caller === undefined && session?.token === undefined;
}

/** Without the header, only the form can have the token; anything else is refused before its body is read. */
export function bringsTokenInForm(request: Request): boolean {
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
 * The token for a form; "" where it has none. A page with MaxAge is the same for everybody, so it has no token; nor has an anonymous
 * visitor's page that another service asks for, since their browser gets no cookie of this one.
 */
export function tokenFor(ctx: Context): string {
  const outer = outsideTransaction(ctx);
  if (outer instanceof CallContext) return tokenOf(outer);
  const request = RequestContext.requestOf(ctx);
  if (request === undefined || (request.endpoint?.maxAge ?? 0) > 0) return "";
  if (request.caller !== undefined && request.session === undefined) return "";
  return request.app.csrf.issue(request);
}

function tokenOf({ app, session, endpoint }: CallContext): string {
  return session === undefined || endpoint.maxAge > 0 ? "" : app.csrf.issueFor(session);
}
