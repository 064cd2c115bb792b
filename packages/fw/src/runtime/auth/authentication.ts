import type { Claim } from "./claim.ts";
import type { Session } from "./sessions.ts";

/** The credential of a request, valid or not, and the session that it opens. */
export interface Authentication {
  readonly claim: Claim | undefined;
  readonly session: Session | undefined;
}

/** The authentication of a request without credentials, and of routes whose answer is the same for every user. */
export const anonymous: Authentication = { claim: undefined, session: undefined };
