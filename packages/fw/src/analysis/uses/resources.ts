import type { App, Declaration, Endpoint, Package } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import { hasDescription, kinds } from "../../model/kinds.ts";
import { operations } from "../../model/operations.ts";
import type { Use } from "../../model/uses.ts";

/** Something declared that code can do something with. */
export interface Resource {
  readonly kind: Use["kind"];
  readonly name: string;
}

/** The resources of an application by the constants that hold them, as `declarationKey` writes them. */
export function resourcesOf({ packages }: App): ReadonlyMap<string, Resource> {
  return new Map(packages.flatMap((part) => resourcesIn(part)));
}

function resourcesIn(pkg: Package): readonly (readonly [string, Resource])[] {
  return pkg.declarations.flatMap((each) => {
    const resource = resourceOf(pkg, each);
    return resource ? [[declarationKey(each.declaration), resource] as const] : [];
  });
}

function resourceOf(pkg: Package, declared: Declaration): Resource | undefined {
  if (!hasDescription(declared.kind, "use")) return undefined;
  if ("route" in declared) return endpointOf(pkg, declared);
  return { kind: kinds[declared.kind].use.kind, name: "name" in declared ? declared.name : "" };
}

export function endpointOf({ service }: Package, { route }: Endpoint): Resource {
  return { kind: "endpoint", name: `${service} ${route.pattern}` };
}

/** The operations that a reference may come to: all of them where what is named is handed on, or is read by a computed key. */
export function operationsOf({ kind }: Resource, keys: readonly string[]): readonly string[] {
  if (kind === "users") {
    const [property, ...rest] = keys;
    return property === undefined || property === "users" ? named("users", rest) : [];
  }
  return named(kind, keys);
}

function named(kind: Use["kind"], [key]: readonly string[]): readonly string[] {
  if (key === undefined) return operations[kind];
  return operations[kind].includes(key) ? [key] : [];
}
