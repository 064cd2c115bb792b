import type { Logger } from "../../declare/context.ts";
import type { Platform } from "../../platform/contract.ts";
import type { BundledAuth } from "../bundle.ts";
import type { NewSession, Sessions } from "./session.ts";
import type { TestUser } from "./test-users.ts";

/** What somebody signs in with. */
export type Credential =
  | { readonly password: { readonly email: string; readonly password: string } }
  | { readonly idToken: string }
  /** In development only. `roles` become the account's, and no others; without them it keeps those it has. */
  | { readonly testUser: TestUser; readonly roles: readonly string[] | undefined };

/** Where somebody signs in. */
export interface SignInTarget {
  readonly platform: Platform;
  readonly sessions: Sessions;
  readonly auth: BundledAuth;
  readonly log: Logger;
}

/**
 * Makes a session from a credential, and ends the one that the browser had. Fails with a StatusError whose sentence is for
 * the visitor: 401 where the credential is wrong or its provider is not declared, 400 for a role that is not declared.
 */
export function signIn(
  _target: SignInTarget,
  _credential: Credential,
  _previous: string | undefined,
): Promise<NewSession> {
  throw new Error("not here yet");
}
