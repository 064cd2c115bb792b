import type { Claim } from "./claim.ts";
import type { Session } from "./sessions.ts";

/** The credential of a request, valid or not, and its session. */
export interface Authentication {
  readonly claim: Claim | undefined;
  readonly session: Session | undefined;
}

/** The authentication of requests without credentials, and of routes with the same response for every user. */
export const anonymous: Authentication = { claim: undefined, session: undefined };
