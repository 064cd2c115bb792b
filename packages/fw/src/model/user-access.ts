import type { App } from "./app.ts";
import { declarationKey, hasSignIn, ofKind } from "./declarations.ts";
import { signInService, type Service } from "./services.ts";
import type { EntryUses } from "./uses.ts";

/** The ways in which a service identifies users. It forwards all other credentials to the services it calls. */
export interface UserAccess {
  /** True if it reads sessions, for sign-in, a site, a status page, or responses that may depend on the user. */
  readonly sessions: boolean;
  /** True if it contains the code of the authenticators, because its responses may depend on the user. */
  readonly authenticators: boolean;
}

export function userAccess(app: App, service: Service, uses: readonly EntryUses[]): UserAccess {
  const entries = new Set(service.entries.map(declarationKey));
  const isApp = service.kind === "app";
  const authenticators = isApp && uses.some((entry) => entry.asksVisitor && entries.has(declarationKey(entry)));
  const showsUser =
    isApp && (service.name === signInService(app)?.name || ofKind(service.package, "site", "status").length > 0);
  return { sessions: hasSignIn(app) && (authenticators || showsUser), authenticators };
}
