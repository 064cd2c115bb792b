import type { App, DeclarationRef, Endpoint, Package } from "../../model/app.ts";
import { operations } from "../../model/operations.ts";
import type { Use } from "../../model/uses.ts";

/** Something declared that code can do something with. */
export interface Resource {
  readonly kind: Use["kind"];
  readonly name: string;
}

/** The resources of an application by the constants that hold them, as `keyOf` writes them. */
export function resourcesOf({ packages }: App): ReadonlyMap<string, Resource> {
  return new Map(packages.flatMap((part) => resourcesIn(part)));
}

function resourcesIn(part: Package): readonly (readonly [string, Resource])[] {
  const { entities = [], buckets = [], destinations = [], secrets = [], auths = [], endpoints } = part;
  return [
    ...entities.map(({ name, declaration }) => entry("entity", name, declaration)),
    ...buckets.map(({ name, declaration }) => entry("bucket", name, declaration)),
    ...destinations.map(({ kind, name, declaration }) => entry(kind, name, declaration)),
    ...secrets.map(({ name, declaration }) => entry("secret", name, declaration)),
    ...auths.map(({ declaration }) => entry("users", "", declaration)),
    ...endpoints.map(
      (each) => [keyOf(each.declaration.module, each.declaration.variable), endpointOf(part, each)] as const,
    ),
  ];
}

function entry(kind: Use["kind"], name: string, { module, variable }: DeclarationRef): readonly [string, Resource] {
  return [keyOf(module, variable), { kind, name }];
}

export function endpointOf({ service }: Package, { route }: Endpoint): Resource {
  return { kind: "endpoint", name: `${service} ${route.pattern}` };
}

export function keyOf(module: string, variable: string): string {
  return `${module}#${variable}`;
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
