import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { Tenancy } from "../../declare/tenant.ts";
import { ScopedContext } from "../context.ts";

/** The tenant that a context is inside of. */
export interface BoundTenancy extends Tenancy {
  /** The name of the Tenant declaration. */
  readonly name: string;
}

/** Creates the tenancy of a context; `member` is undefined if the work is done for no member. */
export function bindTenancy(name: string, id: string, member?: object): BoundTenancy {
  return Object.freeze({
    name,
    id,
    get member(): object {
      if (member !== undefined) return member;
      throw new Fault("the member of a tenant was read in work that acts for no member: use only the tenant's id");
    },
  });
}

/** A context inside of a tenant: the documents and messages of tenants are those of this one. */
export class TenantContext extends ScopedContext {
  readonly tenancy: BoundTenancy;

  constructor(outer: Context, tenancy: BoundTenancy) {
    super(outer);
    this.tenancy = tenancy;
  }
}

/** Returns the tenant that a context is inside of. */
export function tenancyOf(ctx: Context): BoundTenancy | undefined {
  let at = ctx;
  while (at instanceof ScopedContext) {
    if (at instanceof TenantContext) return at.tenancy;
    at = at.outer;
  }
  return undefined;
}

/** Returns the id of the tenant for data of tenants; throws a Fault if the context is not inside of one of them. */
export function requireTenant(ctx: Context, tenants: string, what: string): string {
  const tenancy = tenancyOf(ctx);
  if (tenancy?.name === tenants) return tenancy.id;
  const place = tenancy === undefined ? "outside of a tenant" : `inside of a tenant of "${tenancy.name}"`;
  throw new Fault(
    `${what} belongs to the tenants "${tenants}" and was used ${place}: use the ctx of a route with RequireMember, or a context of as() or enter()`,
  );
}

/** Returns a context inside of the tenant of another one, if that is inside of a tenant. */
export function inTenantOf(inside: Context | void, ctx: Context): Context {
  return inside instanceof TenantContext ? new TenantContext(ctx, inside.tenancy) : ctx;
}
