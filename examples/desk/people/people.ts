import {
  Auth,
  type Context,
  Entity,
  type ID,
  type Index,
  Limit,
  type Path,
  RequireMember,
  Tenant,
  type User,
} from "fw";

export const auth = Auth({ password: true, account: true, signUp: true, tokens: true });

/** An organisation that answers its customers here. */
export interface Desk {
  id: ID;
  name: string;
}
export const desks = Entity<Desk>("desks", { tenant: "shared" });

/** A person at a desk. Customers see their own tickets, agents see all of them, admins choose the agents. */
export interface Membership {
  /** `<desk>:<user>` */
  id: ID;
  desk: Index<string>;
  user: Index<string>;
  role: Index<Role>;
  name: string;
  email: string;
}
export type Role = "customer" | "agent" | "admin";
export const memberships = Entity<Membership>("memberships", { tenant: "shared" });

export const orgs = Tenant("orgs", (ctx, user, { desk }: { desk: Path }) =>
  memberships.find(ctx, `${desk}:${user.id}`),
);

export const IsMember = RequireMember(orgs);
export const IsAgent = RequireMember(orgs, "agent", "admin");
export const IsAdmin = RequireMember(orgs, "admin");

/** New desks of one user. */
export const newDesks = Limit("new-desks", "5/d");
/** New tickets and comments of one user. */
export const writing = Limit("writing", "60/h");

type Person = Pick<User, "id" | "email" | "name">;

/** Adds a user to a desk, or changes the role of a member. */
export function enroll(ctx: Context, desk: string, user: Person, role: Role): Promise<Membership> {
  const { id, email } = user;
  return memberships.put(ctx, { id: `${desk}:${id}`, desk, user: id, role, name: nameOf(user), email });
}

/** True if the member works at the desk. */
export function isAgent(ctx: Context): boolean {
  return ctx.tenant(orgs).member?.role !== "customer";
}

/** The name that others see: never the whole address. */
export function nameOf({ name, email }: Omit<Person, "id">): string {
  return name || email.replace(/@.*/, "");
}
