import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { StatusError } from "./errors.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import type { TenantDeclaration } from "./tenant.ts";
import type { User } from "./user.ts";

/**
 * The result of a policy: `undefined` or `null` admits the user, `Deny(message)` refuses the request with a 403. Any
 * other error, returned or thrown, becomes an opaque 500.
 */
export type Verdict = StatusError | Error | void | undefined | null;

/** A rule that decides which signed-in users may use a route. It can also read fields of the request. */
export interface PolicyDeclaration<in Req = unknown> {
  /** The kind of declaration. */
  readonly kind: "policy";
  /** @internal Absent for `RequireRole` and `RequireMember`. */
  readonly decide?: (ctx: Context, user: User, request: Req) => Verdict | Promise<Verdict>;
  /** @internal The roles of `RequireRole`; the user needs one of them. */
  readonly roles?: readonly RoleDeclaration[];
  /** @internal The tenant of `RequireMember`. */
  readonly tenant?: TenantDeclaration;
  /** @internal The roles of `RequireMember`; a member needs one of them. Empty if any member may pass. */
  readonly memberRoles?: readonly string[];
}

/**
 * Declares a policy: `export const Verified = Policy((ctx, user) => user.emailVerified ? undefined : Deny("verify your
 * address first"))`. Export it and use it in a route: `{ allow: Verified }`.
 *
 * A third parameter declares fields of the request, which every route with the policy must bind the same way: `export
 * const IsMember = Policy(async (ctx, user, { org }: { org: Path }) => …)`.
 */
export function Policy<Req = unknown>(
  decide: (ctx: Context, user: User, request: Req) => Verdict | Promise<Verdict>,
): PolicyDeclaration<Req> {
  return recordDeclaration({ kind: "policy", decide } as const);
}

/**
 * Declares a policy that admits users with at least one of the roles: `export const CanEdit = RequireRole(Editor,
 * Admin)`.
 */
export function RequireRole(role: RoleDeclaration, ...others: readonly RoleDeclaration[]): PolicyDeclaration;
export function RequireRole(
  this: Refused<"fw/empty-role: RequireRole needs at least one role, such as RequireRole(Editor)">,
): never;
export function RequireRole(...roles: readonly RoleDeclaration[]): PolicyDeclaration {
  return recordDeclaration({ kind: "policy", roles: Object.freeze(roles) } as const);
}

/** The possible values of a membership's `role`. */
type RoleOf<Member> = Member extends { readonly role: infer Role extends string } ? Role : never;

/**
 * Declares a policy that admits members of the request's tenant; with roles, only members with one of them: `export
 * const OrgAdmin = RequireMember(orgs, "admin")`. The handler runs inside the tenant.
 */
export function RequireMember<Member extends object, Req>(
  tenant: TenantDeclaration<Member, Req>,
  ...roles: readonly RoleOf<Member>[]
): PolicyDeclaration<Req> {
  return recordDeclaration({ kind: "policy", tenant: tenant as never, memberRoles: Object.freeze(roles) } as const);
}
