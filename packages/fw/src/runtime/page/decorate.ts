import { asError } from "../../lib/thrown.ts";
import { userOf } from "../auth/user.ts";
import type { Request } from "../request.ts";
import { isRead } from "../routing/route.ts";

/**
 * A document with what the local server adds to it. Decoration never fails a request: where it throws, the document is
 * sent as it is. It uses the session that the request already has: the service may have no code that identifies users.
 */
export function decorateDocument(request: Request, html: string, maxAge: number): string {
  const { decorate } = request.app;
  if (decorate === undefined || request.caller !== undefined) return html;
  try {
    const { session } = request;
    return decorate(html, { user: session && userOf(session.identity), maxAge, path: pathOf(request) });
  } catch (error) {
    warnUndecorated(request, error);
    return html;
  }
}

export function warnUndecorated(request: Request, error: unknown): void {
  request.log.warn("the document is sent without the dev bar", { error: asError(error) });
}

/** The address at which a browser gets this document again; "/" for the answer to a form. */
function pathOf(request: Request): string {
  if (!isRead(request)) return "/";
  return request.query === "" ? request.path : `${request.path}?${request.query}`;
}
