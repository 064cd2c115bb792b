import { Fault } from "../../declare/errors.ts";
import type { Request } from "../request.ts";
import { readSessionCookie } from "./cookie.ts";
import type { SignInTarget } from "./sign-in.ts";

/** Where the requests of an application sign in. Throws a Fault where it is served without a platform. */
export function targetOf({ app, log }: Request): SignInTarget {
  const { platform, sessions } = app;
  const { auth } = app.bundle;
  if (auth === undefined || platform === undefined || sessions === undefined)
    throw new Fault("an application that declares Auth is served with a platform");
  return { auth, platform, sessions, log };
}

/** The id in the request's session cookie, whether the session lives or not. */
export function sessionIdOf({ exchange, secure }: Request): string | undefined {
  return readSessionCookie(exchange.header("cookie"), secure);
}
