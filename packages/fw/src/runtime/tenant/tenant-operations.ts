import type { Context } from "../../declare/context.ts";
import { Deny, Fault } from "../../declare/errors.ts";
import type { PolicyDeclaration } from "../../declare/policy.ts";
import type { Tenancy, TenantDeclaration, TenantOperations } from "../../declare/tenant.ts";
import type { User } from "../../declare/user.ts";
import { isA } from "../../lib/thrown.ts";
import type { Wiring } from "../application.ts";
import { askPolicy } from "../auth/policy.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { bindTenancy, isTenantId, TenantContext, tenancyOf } from "./tenant-context.ts";

/** The operations on tenants, including internal ones. */
export interface HostedTenants extends TenantOperations {
  /** Checks the policy of `RequireMember`. Resolves with a context inside the tenant, or throws a 403. */
  admit(ctx: Context, allow: NonNullable<BundledEndpoint["allow"]>, request: unknown): Promise<Context>;
}

export function tenantOperations(application: () => Wiring): HostedTenants {
  const fieldOf = ({ name }: TenantDeclaration): string => {
    const row = application().bundle.tenants?.find((each) => each.name === name);
    if (row === undefined) throw new Fault(`the tenants "${name}" are not part of this application`);
    return row.field;
  };

  async function admit(
    ctx: Context,
    { declaration: { tenant, memberRoles }, name }: NonNullable<BundledEndpoint["allow"]>,
    request: unknown,
  ): Promise<Context> {
    const { name: tenants, membership } = tenant as TenantDeclaration;
    const id = tenantId(request, fieldOf(tenant as TenantDeclaration));
    let member: object | undefined;
    const decide: PolicyDeclaration["decide"] = async (inner: Context, user: User, req: unknown) => {
      const found: unknown = id === undefined ? undefined : await membership(inner, user, req as never);
      if (isA(found, Error)) return found;
      member = memberOf(tenants, found);
      return member === undefined ? Deny(messages.notMember) : verdictOf(member, memberRoles);
    };
    await askPolicy({ declaration: { kind: "policy", decide }, name }, ctx, ctx.user(), request);
    // `id` is always defined here: without one, the policy has refused the request.
    return new TenantContext(ctx, bindTenancy(tenants, id ?? "", member));
  }

  return {
    admit,
    as(ctx, tenant, id) {
      fieldOf(tenant);
      if (!isTenantId(id)) throw new Fault(`as(): ${JSON.stringify(id)} is not the id of a tenant`);
      return new TenantContext(ctx, bindTenancy(tenant.name, id));
    },
    enter: (ctx, tenant, id) =>
      admit(
        ctx,
        { declaration: { kind: "policy", tenant, memberRoles: [] }, name: tenant.name },
        { [fieldOf(tenant)]: id },
      ),
    current(ctx, { name }): Tenancy {
      const tenancy = tenancyOf(ctx);
      if (tenancy?.name === name) return tenancy;
      throw new Fault(`ctx.tenant() was called outside a tenant of "${name}": give the route a RequireMember policy`);
    },
  };
}

/** Returns the tenant id in a request; undefined if it is not a valid id. */
function tenantId(request: unknown, field: string): string | undefined {
  const id = (request as Readonly<Record<string, unknown>> | undefined)?.[field];
  return isTenantId(id) ? id : undefined;
}

/**
 * Returns a membership; undefined for none. Throws a Fault for a value that cannot be one, such as the empty list of
 * memberships of a user who has none.
 */
function memberOf(tenants: string, value: unknown): object | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object" && !Array.isArray(value)) return value;
  throw new Fault(
    `the function of the tenants "${tenants}" returned a ${Array.isArray(value) ? "list" : typeof value}: return the membership, or undefined`,
  );
}

function verdictOf(member: object, roles: readonly string[] = []): ReturnType<typeof Deny> | undefined {
  const { role } = member as { readonly role?: unknown };
  return roles.length === 0 || roles.some((each) => each === role) ? undefined : Deny(messages.needsRole(roles));
}
