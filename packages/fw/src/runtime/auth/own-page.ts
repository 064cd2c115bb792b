import { StatusError } from "../../declare/errors.ts";
import { mayBeCrossOrigin } from "../access/cross-origin.ts";
import { messages } from "../messages.ts";
import type { Request } from "../request.ts";

/**
 * Refuses what a page of another site sends: it could sign its own account in here, or somebody out. A client that says
 * nothing of where it comes from is no browser, and is served. Throws a StatusError 403.
 */
export function requireOwnPage({ exchange }: Request): void {
  if (mayBeCrossOrigin(exchange)) throw new StatusError(403, messages.crossSite);
}
