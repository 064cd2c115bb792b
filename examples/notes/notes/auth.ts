import { Auth, Deny, Policy, RequireRole, Role, type Context, type User } from "fw";

export const auth = Auth({ social: true, password: true });

/** Editors may change every note that is not private. */
export const Editor = Role("editor");
/** Admins manage the accounts. */
export const Admin = Role("admin");

export const IsAdmin = RequireRole(Admin);

/** Notes show their author's name, so the email address must be verified. */
export const CanWrite = Policy((_ctx, user) =>
  user.emailVerified ? undefined : Deny("confirm your email address before you write"),
);

/** The current user, for the page header. `here` is the path to return to after signing in or out. */
export interface Visitor {
  /** "" if no user is signed in. */
  name: string;
  isAdmin: boolean;
  here: string;
}
export function visitor(ctx: Context, here: string): Visitor {
  const user = ctx.maybeUser();
  return { name: user ? nameOf(user) : "", isAdmin: user?.hasRole(Admin) ?? false, here };
}

/** Returns the name that other users see; never the whole email address. */
export function nameOf({ name, email }: User): string {
  return name || email.replace(/@.*/, "");
}
