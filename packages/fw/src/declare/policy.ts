import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { StatusError } from "./errors.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import type { User } from "./user.ts";

/** Nothing to admit, `Deny(message)` to refuse. Any other error, returned or thrown, is an opaque 500. */
export type Verdict = StatusError | Error | void | undefined | null;

/** Decides which signed-in users may use a route. It sees the user and not the request. */
export interface PolicyDeclaration {
  /** Tells it from other declarations. */
  readonly kind: "policy";
  /** @internal Absent for a `RequireRole`. */
  readonly decide?: (ctx: Context, user: User) => Verdict | Promise<Verdict>;
  /** @internal Of a `RequireRole`: any one of them is enough. */
  readonly roles?: readonly RoleDeclaration[];
}

/**
 * Declares a policy: `export const Verified = Policy((ctx, user) => user.emailVerified ? undefined : Deny("verify your
 * address first"))`. Exported. A route names it: `{ allow: Verified }`.
 */
export function Policy(decide: (ctx: Context, user: User) => Verdict | Promise<Verdict>): PolicyDeclaration {
  return declared({ kind: "policy", decide } as const);
}

/** Declares a policy that admits who carries any one of the roles: `export const CanEdit = RequireRole(Editor, Admin)`. */
export function RequireRole(role: RoleDeclaration, ...others: readonly RoleDeclaration[]): PolicyDeclaration;
export function RequireRole(
  this: Refused<"fw/empty-role: a RequireRole has at least one role, such as RequireRole(Editor)">,
): never;
export function RequireRole(...roles: readonly RoleDeclaration[]): PolicyDeclaration {
  return declared({ kind: "policy", roles: Object.freeze(roles) } as const);
}
