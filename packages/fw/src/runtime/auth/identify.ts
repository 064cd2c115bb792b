import type { Request } from "../request.ts";
import { readSessionCookie } from "./cookie.ts";
import type { Sessions } from "./session.ts";

/**
 * Looks up the session that a request brings, for `request.session`. Undefined, without a promise, where it brings none or the route has a
 * maxAge, being the same for everybody.
 */
export function identify(request: Request): Promise<void> | undefined {
  const { sessions } = request.app;
  const { cookie } = request.req.headers;
  if (sessions === undefined || cookie === undefined || (request.endpoint?.maxAge ?? 0) > 0) return undefined;
  const id = readSessionCookie(cookie, request.secure);
  return id === undefined ? undefined : find(request, sessions, id);
}

async function find(request: Request, sessions: Sessions, id: string): Promise<void> {
  request.session = await sessions.find(id);
}
