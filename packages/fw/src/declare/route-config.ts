import type { Duration } from "./duration.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

interface SignedIn extends Scaling {
  /** True: 401 without a session; the user is available past it. */
  readonly signIn: true;
  /** True: reached by other services only, never from the public internet. */
  readonly private?: boolean;
  readonly allow?: undefined;
  readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}

interface Allowed extends Scaling {
  /** Decides which signed-in users may use the route; implies `signIn`. */
  readonly allow: PolicyDeclaration;
  readonly signIn?: boolean;
  readonly private?:
    | false
    | Refused<"fw/policy-private: a route has a policy or is private: a private one is reached without a session">;
  readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}

interface Open extends Scaling {
  readonly signIn?: false;
  readonly private?: boolean;
  readonly allow?: undefined;
  /** Shared-cache lifetime, `"1s"` to `"365d"`, of a page or a blob; without effect on JSON. */
  readonly maxAge?: Duration | Refused<'fw/max-age: a duration literal from 1 second to one year, such as "10m"'>;
}

/** Settings of one route, written as a literal: `{ signIn: true }`, `{ allow: CanEdit }`, `{ maxAge: "10m" }`, `{ private: true }`. */
export type RouteConfig = SignedIn | Allowed | Open;
