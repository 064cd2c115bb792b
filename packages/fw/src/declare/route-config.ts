import type { Refused } from "./route-rules.ts";

/** A length of time written as a literal: `"500ms"`, `"30s"`, `"15m"`, `"12h"`, `"7d"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

interface Common {
  /** True: reached by other services only, never from the public internet. */
  readonly private?: boolean;
}

interface SignedIn extends Common {
  /** True: 401 without a session; the user is available past it. */
  readonly signIn: true;
  readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}

interface Open extends Common {
  readonly signIn?: false;
  /** Shared-cache lifetime, `"1s"` to `"365d"`, of a page or a blob; without effect on JSON. */
  readonly maxAge?: Duration | Refused<'fw/max-age: a duration literal from 1 second to one year, such as "10m"'>;
}

/** Settings of one route, written as a literal: `{ signIn: true }`, `{ maxAge: "10m" }`, `{ private: true }`. */
export type RouteConfig = SignedIn | Open;
