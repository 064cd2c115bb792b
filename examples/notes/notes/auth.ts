import { Auth, Deny, Policy, RequireRole, Role, type Context, type User } from "fw";

export const auth = Auth({ social: true, password: true });

/** May change every note that is not private. */
export const Editor = Role("editor");
/** Looks after the accounts. */
export const Admin = Role("admin");

export const IsAdmin = RequireRole(Admin);

/** What one writes carries a name, so the address has to be known to be one's own. */
export const CanWrite = Policy((_ctx, user) =>
  user.emailVerified ? undefined : Deny("confirm your email address before you write"),
);

/** Who looks at a page, for its header; `here` is where signing in and out leads back to. */
export interface Visitor {
  /** "" of somebody who is not signed in. */
  name: string;
  isAdmin: boolean;
  here: string;
}
export function visitor(ctx: Context, here: string): Visitor {
  const user = ctx.maybeUser();
  return { name: user ? nameOf(user) : "", isAdmin: user?.hasRole(Admin) ?? false, here };
}

/** What others see of somebody; never the whole address. */
export function nameOf({ name, email }: User): string {
  return name || email.replace(/@.*/, "");
}
