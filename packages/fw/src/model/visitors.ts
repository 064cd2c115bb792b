import type { App } from "./app.ts";
import { declarationKey, hasSignIn, ofKind } from "./declarations.ts";
import { signInService, type Service } from "./services.ts";
import type { EntryUses } from "./uses.ts";

/**
 * Whether a service finds out who visits: the one in which people sign in, those with a site or a status page, and
 * those with code that may ask. The others hand a session on to whom they call, and read none.
 */
export function readsSessions(app: App, service: Service, uses: readonly EntryUses[]): boolean {
  if (service.kind !== "app" || !hasSignIn(app)) return false;
  if (service.name === signInService(app)?.name) return true;
  if (ofKind(service.package, "site", "status").length > 0) return true;
  return asksVisitors(service, uses);
}

/** Whether code of a service may ask who visits: it has the authenticators. */
export function asksVisitors({ kind, entries }: Service, uses: readonly EntryUses[]): boolean {
  const own = new Set(entries.map(declarationKey));
  return kind === "app" && uses.some((entry) => entry.asksVisitor && own.has(declarationKey(entry)));
}
