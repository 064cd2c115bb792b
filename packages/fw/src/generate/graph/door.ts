import { assertNever } from "../../lib/assert-never.ts";
import type { App, Endpoint } from "../../model/app.ts";
import { allOfKind, declarationKey } from "../../model/declarations.ts";

/** Who gets in: everybody, whoever is signed in, those whom a policy admits, or other services only. */
export type Door =
  | { readonly kind: "public" | "signIn" | "private" }
  | {
      readonly kind: "policy";
      /** The constant that holds it. */
      readonly policy: string;
      /** Any one of them is enough; absent where a function decides. */
      readonly roles?: readonly string[];
    };

/** The doors of an application's routes. A policy may be one of another package. */
export function doorsOf({ packages }: App): (endpoint: Endpoint) => Door {
  const policies = allOfKind(packages, "policy");
  const roles = new Map(policies.map(({ declaration, roles }) => [declarationKey(declaration), roles]));
  return ({ settings }) => {
    const { allow } = settings;
    if (allow !== undefined) {
      const required = roles.get(declarationKey(allow));
      return { kind: "policy", policy: allow.variable, ...(required === undefined ? {} : { roles: required }) };
    }
    if (settings.private) return { kind: "private" };
    return { kind: settings.signIn ? "signIn" : "public" };
  };
}

/** The doors of an application's routes in words. */
export function doorTexts(app: App): (endpoint: Endpoint) => string {
  const doorOf = doorsOf(app);
  return (endpoint) => doorText(doorOf(endpoint));
}

/** The door in words. */
export function doorText(door: Door): string {
  switch (door.kind) {
    case "public":
      return "public";
    case "signIn":
      return "signed in";
    case "private":
      return "other services";
    case "policy":
      return door.roles === undefined ? `policy ${door.policy}` : `policy ${door.policy} (${door.roles.join(" or ")})`;
    default:
      return assertNever(door);
  }
}
