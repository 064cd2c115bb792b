import type { App } from "../model/app.ts";
import { frameworkUses, laptopUses, type FrameworkUse } from "../model/framework-uses.ts";
import { grantsOf } from "../model/grants.ts";
import { servicesOf, type Service } from "../model/services.ts";
import type { EntryUses } from "../model/uses.ts";
import type { PlatformGrant } from "../platform/grants.ts";

export function platformGrants(app: App, uses: readonly EntryUses[]): ReadonlyMap<string, readonly PlatformGrant[]> {
  return new Map(servicesOf(app).map((service) => [service.name, serviceGrants(app, service, uses)]));
}

function serviceGrants(app: App, service: Service, uses: readonly EntryUses[]): readonly PlatformGrant[] {
  const own = grantsOf(service, uses);
  return [...own, ...frameworkUses(app, service, uses), ...laptopUses(app, service, uses)].flatMap(grantsOfUse);
}

function grantsOfUse({
  kind,
  name,
  operations,
}: Pick<FrameworkUse, "name" | "operations"> & Pick<PlatformGrant, "kind">): PlatformGrant[] {
  return operations.map((operation) => ({ kind, name, operation }));
}
