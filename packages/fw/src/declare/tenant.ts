import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import { hosted } from "./slot.ts";
import type { User } from "./user.ts";

/** The tenant of a context, with its user's membership. */
export interface Tenancy<Member extends object = object> {
  /** The id of the tenant. */
  readonly id: string;
  /** The membership that `Tenant`'s function returned. Throws in work that no member requested, such as a worker's. */
  readonly member: Member;
}

/** Customers, teams or organizations that share the application but must not see each other's data. */
export interface TenantDeclaration<Member extends object = object, in Req = never> {
  /** @internal */
  readonly kind: "tenant";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly membership: FindMember<Member, Req>;
  /**
   * Returns a context inside a tenant, for work that no member requested: in a worker, a cron, or a route for
   * operators. It does not check membership.
   */
  as(ctx: Context, id: string): Context;
  /** Returns a context inside a tenant of the signed-in user; throws a 403 if the user is not a member. */
  enter(ctx: Context, id: string): Promise<Context>;
}

/** Finds a user's membership; undefined if the user is not a member. */
export type FindMember<Member extends object, Req> = (
  ctx: Context,
  user: User,
  request: Req,
) => Member | undefined | Promise<Member | undefined>;

/**
 * Declares the application's tenants: `export const orgs = Tenant("orgs", (ctx, user, { org }: { org: Path }) =>
 * memberships.find(ctx, `${org}:${user.id}`))`. The third parameter has one bound field, the tenant's id; the function
 * returns the user's membership, or undefined. Entities, buckets, queues and other data with `{ tenant: orgs }` are
 * separate for each tenant.
 */
export function Tenant<Member extends object, Req>(
  name: string,
  membership: FindMember<Member, Req>,
): TenantDeclaration<Member, Req> {
  const tenant: TenantDeclaration<Member, Req> = {
    kind: "tenant",
    name,
    membership,
    as: (ctx, id) => hosted<TenantHost>(ctx).tenants.as(ctx, tenant, id),
    enter: async (ctx, id) => hosted<TenantHost>(ctx).tenants.enter(ctx, tenant, id),
  };
  return recordDeclaration(tenant);
}

/** The tenant setting of data: a `Tenant`, or `"shared"` for data that belongs to no tenant. */
export interface TenantSetting {
  /** The `Tenant` that separates the data, or `"shared"` for data shared by all tenants. */
  readonly tenant?: TenantDeclaration | "shared";
}

/** The operations of tenants, as the runtime implements them. */
export interface TenantOperations {
  as(ctx: Context, tenant: TenantDeclaration, id: string): Context;
  enter(ctx: Context, tenant: TenantDeclaration, id: string): Promise<Context>;
  current(ctx: Context, tenant: TenantDeclaration): Tenancy;
}

/** The part of the Host that implements tenants. */
export interface TenantHost {
  readonly tenants: TenantOperations;
}
