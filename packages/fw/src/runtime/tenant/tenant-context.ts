import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { Tenancy, TenantDeclaration, TenantSetting } from "../../declare/tenant.ts";
import { ScopedContext } from "../context.ts";

/** Limit: characters of a tenant's id. */
const tenantCharacters = 128;

/**
 * Matches characters that no tenant's id contains. They include the separator in stored document ids, so no id can name
 * a document of another tenant.
 */
const invalidCharacters = /[/\p{Cc}\p{Cs}]/u;

export interface BoundTenancy extends Tenancy {
  readonly name: string;
}

/** Creates the tenancy of a context. Without `member`, for work that acts for no member, reading it throws a Fault. */
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

/** A context inside a tenant, which reads and writes this tenant's data and messages. */
export class TenantContext extends ScopedContext {
  readonly tenancy: BoundTenancy;

  constructor(outer: Context, tenancy: BoundTenancy) {
    super(outer);
    this.tenancy = tenancy;
  }
}

/** Returns the tenant of a context; undefined outside of one. */
export function tenancyOf(ctx: Context): BoundTenancy | undefined {
  let at = ctx;
  while (at instanceof ScopedContext) {
    if (at instanceof TenantContext) return at.tenancy;
    at = at.outer;
  }
  return undefined;
}

/** Returns the id of the context's tenant. Throws a Fault about `what` unless it belongs to `tenants`. */
export function requireTenant(ctx: Context, tenants: string, what: string): string {
  const tenancy = tenancyOf(ctx);
  if (tenancy?.name === tenants) return tenancy.id;
  const place = tenancy === undefined ? "outside a tenant" : `inside a tenant of "${tenancy.name}"`;
  throw new Fault(
    `${what} belongs to the tenants "${tenants}" and was used ${place}: use the ctx of a route with RequireMember, or a context of as() or enter()`,
  );
}

/** Returns `ctx` inside the tenant of `inside`; unchanged if `inside` is not the context of a tenant. */
export function inTenantOf(inside: Context | void, ctx: Context): Context {
  return inside instanceof TenantContext ? new TenantContext(ctx, inside.tenancy) : ctx;
}

/** A declaration whose data may be separated by tenant, by its own setting or by an evolution rule. */
export interface SeparableDeclaration extends TenantSetting {
  readonly kind: string;
  readonly name?: string;
  readonly evolution?: TenantSetting;
}

/** Returns the Tenant that separates the data of a declaration; undefined for shared data. */
export function separatorOf({ tenant, evolution }: SeparableDeclaration): TenantDeclaration | undefined {
  const setting = tenant ?? evolution?.tenant;
  return typeof setting === "object" ? setting : undefined;
}

/**
 * Returns the name under which a declaration's data is stored. If tenants separate the data, appends the tenant in a
 * form that no name contains, and throws a Fault outside a tenant.
 */
export function nameInTenant(ctx: Context, declaration: SeparableDeclaration & { readonly name: string }): string {
  const tenants = separatorOf(declaration);
  const { kind, name } = declaration;
  return tenants === undefined ? name : nameOfTenant(name, requireTenant(ctx, tenants.name, `the ${kind} "${name}"`));
}

/** Appends the encoded tenant to a name. The result contains no space and is different for each name and tenant. */
export function nameOfTenant(name: string, tenant: string): string {
  return `${name}/${encodeURIComponent(tenant)}`;
}

export function isTenantId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= tenantCharacters && !invalidCharacters.test(id);
}
