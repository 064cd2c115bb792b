import type { ByteSize } from "./byte-size.ts";
import type { Duration } from "./duration.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

interface Every extends Scaling {
  /** The status of an API's answer in place of 200, or of 204 where it answers nothing. */
  readonly status?:
    | 200
    | 201
    | 202
    | 203
    | 204
    | Refused<"fw/route-status: a constant success status, 200 to 204; what is decided at run time is a reply">;
  /** How large the body of a request may be, in place of 1 MB (of an upload: 1 GB): `"10MB"`. */
  readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB" (for uploads "1GB")'>;
}

interface SignedIn extends Every {
  /** True: 401 without a session; the user is available past it. */
  readonly signIn: true;
  /** True: reached by other services only, never from the public internet. */
  readonly private?: boolean;
  readonly allow?: undefined;
  readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}

interface Allowed extends Every {
  /** Decides which signed-in users may use the route; implies `signIn`. */
  readonly allow: PolicyDeclaration;
  readonly signIn?: boolean;
  readonly private?:
    | false
    | Refused<"fw/policy-private: a route has a policy or is private: a private one is reached without a session">;
  readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}

interface Open extends Every {
  readonly signIn?: false;
  readonly private?: boolean;
  readonly allow?: undefined;
  /** Shared-cache lifetime, `"1s"` to `"365d"`, of a page or a blob; without effect on JSON. */
  readonly maxAge?: Duration | Refused<'fw/max-age: a duration literal from 1 second to one year, such as "10m"'>;
}

/** Settings of one route, written as a literal: `{ signIn: true }`, `{ allow: CanEdit }`, `{ status: 201 }`, `{ maxAge: "10m" }`, `{ private: true }`. */
export type RouteConfig = SignedIn | Allowed | Open;
