import { assertNever } from "../../lib/assert-never.ts";
import type { App, Endpoint } from "../../model/app.ts";
import { allOfKind, declarationKey } from "../../model/declarations.ts";

/** The callers that may use a route: everyone, signed-in users, users whom a policy admits, or only other services. */
export type Access =
  | { readonly kind: "public" | "signIn" | "private" }
  | {
      readonly kind: "policy";
      readonly policy: string;
      /** The roles of a `RequireRole`: the user needs one of them. Absent for other policies. */
      readonly roles?: readonly string[];
      /** The request fields that the policy reads; absent if it reads none. */
      readonly fields?: readonly string[];
      /** The Tenant whose members the policy admits; absent for other policies. */
      readonly tenant?: string;
      /** Roles of members: the user needs one of them. Absent if every member is admitted. */
      readonly memberRoles?: readonly string[];
    };

/** Returns the access rules of an application's routes. A policy may belong to another package. */
export function accessRules({ packages }: App): (endpoint: Endpoint) => Access {
  const policies = allOfKind(packages, "policy");
  const byKey = new Map(policies.map((policy) => [declarationKey(policy.declaration), policy]));
  const tenants = new Map(allOfKind(packages, "tenant").map((tenant) => [tenant.name, tenant]));
  return ({ settings }) => {
    const { allow } = settings;
    if (allow !== undefined) {
      const { roles, memberRoles, tenant, fields } = byKey.get(declarationKey(allow)) ?? {};
      const ofTenant = tenant === undefined ? undefined : tenants.get(tenant);
      const read = fields ?? (ofTenant && [ofTenant.field]);
      return {
        kind: "policy",
        policy: allow.variable,
        ...(roles && { roles }),
        ...(read && { fields: read }),
        ...(tenant !== undefined && { tenant }),
        ...(memberRoles && { memberRoles }),
      };
    }
    if (settings.private) return { kind: "private" };
    return { kind: settings.signIn ? "signIn" : "public" };
  };
}

/** Describes the callers of a route to users of the console. */
export function accessSentence(door: Access): string {
  switch (door.kind) {
    case "public":
      return "anyone";
    case "signIn":
      return "signed-in users";
    case "private":
      return "other services only";
    case "policy":
      if (door.tenant !== undefined) return `${membersText(door)}, by ${door.policy}`;
      return door.roles === undefined
        ? `users whom ${door.policy} admits`
        : `users with the role ${door.roles.join(" or ")}, by ${door.policy}`;
    default:
      return assertNever(door);
  }
}

/** Returns the access rules of an application's routes in words. */
export function accessTexts(app: App): (endpoint: Endpoint) => string {
  const doorOf = accessRules(app);
  return (endpoint) => accessText(doorOf(endpoint));
}

/** Describes an access rule in words. */
export function accessText(door: Access): string {
  switch (door.kind) {
    case "public":
      return "public";
    case "signIn":
      return "signed in";
    case "private":
      return "other services";
    case "policy":
      if (door.tenant !== undefined)
        return `policy ${door.policy} (${membersText(door)}) by ${(door.fields ?? []).join(", ")}`;
      if (door.fields !== undefined) return `policy ${door.policy} by ${door.fields.join(", ")}`;
      return door.roles === undefined ? `policy ${door.policy}` : `policy ${door.policy} (${door.roles.join(" or ")})`;
    default:
      return assertNever(door);
  }
}

/** Formats `members of orgs`, or `admin or owner of orgs`. */
function membersText({ tenant = "", memberRoles = ["members"] }: Extract<Access, { kind: "policy" }>): string {
  return `${memberRoles.join(" or ")} of ${tenant}`;
}
