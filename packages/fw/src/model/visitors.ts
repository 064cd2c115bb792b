import type { App } from "./app.ts";
import { declarationKey, hasSignIn, ofKind } from "./declarations.ts";
import { signInService, type Service } from "./services.ts";
import type { EntryUses } from "./uses.ts";

/**
 * Whether a service finds out who visits: the one in which people sign in, those with a site or a status page, and those with code that
 * may ask. The others hand a session on to whom they call, and read none.
 */
export function readsSessions(app: App, service: Service, uses: readonly EntryUses[]): boolean {
  if (service.kind !== "app" || !hasSignIn(app)) return false;
  if (service.name === signInService(app)?.name) return true;
  if (ofKind(service.package, "site", "status").length > 0) return true;
  const own = new Set(service.entries.map(declarationKey));
  return uses.some((entry) => entry.asksVisitor && own.has(declarationKey(entry)));
}
