import { StatusError } from "../../declare/errors.ts";
import { isByProgram } from "../auth/claim.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { originsOf } from "../access/origins.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";

/**
 * Refuses pages of other origins than the socket's own: browsers let every page open a connection, with the cookies of whoever looks at it.
 * An origin that the Service names is let in, with a cookie only where it may bring those; who names no origin is a program. Throws a
 * StatusError 403.
 */
export function requireSocketOrigin(request: Request, endpoint: BundledEndpoint): void {
  const origin = request.exchange.header("origin");
  if (origin === undefined || origin.toLowerCase() === request.ctx.origin) return;
  const origins = originsOf(request.app, endpoint);
  const isNamed = origins !== undefined && (origins.allowed === "*" || origins.allowed.includes(origin));
  const isPersonal = request.claim !== undefined && !isByProgram(request.claim);
  if (isNamed && (!isPersonal || (origins.credentials && origins.allowed !== "*"))) return;
  throw new StatusError(403, messages.crossSite);
}
