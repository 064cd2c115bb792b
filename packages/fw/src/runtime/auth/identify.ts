import { isPromise } from "../../lib/promise.ts";
import type { Request } from "../request.ts";
import { readSessionCookie } from "./cookie.ts";
import type { Session } from "./session.ts";

/**
 * Looks up the session that a request brings, for `request.session`, and tells whether it brings one, live or not. It brings none to a
 * route with a maxAge, which is the same for everybody. Without a promise where the store answers at once.
 */
export function identify(request: Request): Promise<boolean> | boolean {
  const { sessions } = request.app;
  const { cookie } = request.req.headers;
  if (sessions === undefined || cookie === undefined || (request.endpoint?.maxAge ?? 0) > 0) return false;
  const id = readSessionCookie(cookie, request.secure);
  if (id === undefined) return false;
  const found = sessions.find(id);
  return isPromise(found) ? found.then((session) => hold(request, session)) : hold(request, found);
}

function hold(request: Request, session: Session | undefined): true {
  request.session = session;
  return true;
}
