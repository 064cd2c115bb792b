import type { ByteSize } from "./byte-size.ts";
import type { Duration } from "./duration.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

interface Every extends Scaling {
  /** The success status of an API; by default 200, or 204 if it returns nothing. */
  readonly status?:
    | 200
    | 201
    | 202
    | 203
    | 204
    | Refused<"fw/route-status: a constant success status, 200 to 204; to choose it at run time, return reply(…)">;
  /** The maximum size of a request body, such as `"10MB"`; by default 1 MB, or 1 GB for uploads. */
  readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB" (for uploads "1GB")'>;
}

interface SignedIn extends Every {
  /** If true, requests without a signed-in user get a 401, and `ctx.user()` is available. */
  readonly signIn: true;
  /** If true, only other services of the application can reach it. */
  readonly private?: boolean;
  readonly allow?: undefined;
  readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in cannot have maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}

interface AllowedRoute<in Req> extends Every {
  /** The policy that decides which signed-in users may use the route; implies `signIn`. */
  readonly allow: PolicyDeclaration<Req>;
  readonly signIn?: boolean;
  readonly private?:
    | false
    | Refused<"fw/policy-private: a private route cannot have a policy: other services can call it without a session">;
  readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in cannot have maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}

interface Open extends Every {
  readonly signIn?: false;
  readonly private?: boolean;
  readonly allow?: undefined;
  /** How long shared caches may store a page or a blob, `"1s"` to `"365d"`. It has no effect on JSON. */
  readonly maxAge?: Duration | Refused<'fw/max-age: a duration literal from 1 second to one year, such as "10m"'>;
}

/**
 * Settings of a route, written as a literal: `{ signIn: true }`, `{ allow: CanEdit }`, `{ status: 201 }`,
 * `{ maxAge: "10m" }`, `{ private: true }`.
 */
export type RouteConfig<Req = never> = SignedIn | AllowedRoute<Req> | Open;
