import { asError } from "../../lib/thrown.ts";
import { userOf } from "../auth/user.ts";
import type { DecoratedAnswer } from "../hooks.ts";
import type { Request } from "../request.ts";
import { isRead } from "../routing/route.ts";

/**
 * Adds the local server's dev bar to a document. If that fails, logs the error and returns the document unchanged. Uses
 * the session only if the request has read it, because the service may have no code that identifies users. `status` is
 * absent for a file, whose dev bar does not depend on the response.
 */
export function decorateDocument(request: Request, html: string, maxAge: number, status?: number): string {
  const { decorate } = request.app;
  if (decorate === undefined || request.caller !== undefined) return html;
  try {
    const { session } = request;
    const answer = status === undefined ? undefined : answerOf(request, status);
    return decorate(html, { user: session && userOf(session.identity), maxAge, path: pathOf(request), answer });
  } catch (error) {
    warnUndecorated(request, error);
    return html;
  }
}

function answerOf({ requestId, trace, startedAt }: Request, status: number): DecoratedAnswer {
  return { id: requestId, trace: trace.id, status, ms: performance.now() - startedAt };
}

export function warnUndecorated(request: Request, error: unknown): void {
  request.log.warn("sent the document without the dev bar", { error: asError(error) });
}

/** Returns the path under which a browser can request this document again; "/" for the response to a form. */
function pathOf(request: Request): string {
  if (!isRead(request)) return "/";
  return request.query === "" ? request.path : `${request.path}?${request.query}`;
}
