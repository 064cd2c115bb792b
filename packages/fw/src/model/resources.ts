import type { App, Declaration, Endpoint, Package } from "./app.ts";
import { declarationKey } from "./declarations.ts";
import { hasDescription, kinds, kindsWith } from "./kinds.ts";
import type { Use } from "./uses.ts";

/** A declaration that code can use through operations. */
export interface Resource {
  readonly kind: Use["kind"];
  readonly name: string;
}

/** The operations on each kind of resource, by method name. */
export const operations: Readonly<Record<Use["kind"], readonly string[]>> = Object.fromEntries(
  kindsWith("use").map((kind): [Use["kind"], readonly string[]] => [kinds[kind].use.kind, kinds[kind].use.operations]),
) as Record<Use["kind"], readonly string[]>;

/** Returns an application's resources, by the `declarationKey` of the constants that hold them. */
export function resourcesOf({ packages }: App): ReadonlyMap<string, Resource> {
  return new Map(packages.flatMap((pkg) => resourcesIn(pkg)));
}

function resourcesIn(pkg: Package): readonly (readonly [string, Resource])[] {
  return pkg.declarations.flatMap((declared) => {
    const resource = resourceOf(pkg, declared);
    return resource ? [[declarationKey(declared.declaration), resource] as const] : [];
  });
}

/** Returns the resource of a declaration; undefined if it has no operations. */
export function resourceOf(pkg: Package, declared: Declaration): Resource | undefined {
  if (!hasDescription(declared.kind, "use")) return undefined;
  if ("route" in declared) return endpointOf(pkg, declared);
  return { kind: kinds[declared.kind].use.kind, name: "name" in declared ? declared.name : "" };
}

/** Returns the resource of an endpoint. Its name includes the service, because packages may have equal routes. */
export function endpointOf({ service }: Package, { route }: Endpoint): Resource {
  return { kind: "endpoint", name: `${service} ${route.pattern}` };
}
