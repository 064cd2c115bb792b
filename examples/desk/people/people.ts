import { Auth, type Context, Entity, type ID, type Index, Limit, type Path } from "fw";
import { type Ref, RequireMember, Tenant, type User } from "fw";

export const auth = Auth({ password: true, account: true, signUp: true, tokens: true });

/** An organization that answers its customers here. */
export interface Desk {
  id: ID;
  name: string;
}
export const desks = Entity<Desk>("desks", { tenant: "shared" });

/** Customers see their own tickets, agents see all of them, and admins also choose the agents. */
export type Role = "customer" | "agent" | "admin";

/** A person at a desk. */
export interface Member {
  /** `<desk>:<user>` */
  id: ID;
  desk: Index<Ref<Desk>>;
  user: Index<string>;
  role: Index<Role>;
  name: string;
  email: string;
}
export const members = Entity<Member>("members", { tenant: "shared" });

export const orgs = Tenant("orgs", (ctx, user, { desk }: { desk: Path }) => members.find(ctx, `${desk}:${user.id}`));

export const IsMember = RequireMember(orgs);
export const IsAgent = RequireMember(orgs, "agent", "admin");
export const IsAdmin = RequireMember(orgs, "admin");

/** Limits how many desks a user opens. */
export const newDesks = Limit("new-desks", "5/d");
/** Limits how many tickets and comments a user writes. */
export const writing = Limit("writing", "60/h");

/** Adds a user to a desk. Others see only the name, or the part of the address before the @. */
export function enroll(ctx: Context, desk: string, user: Pick<User, "id" | "email" | "name">, role: Role) {
  const { id, email } = user;
  const name = user.name || email.replace(/@.*/, "");
  return members.put(ctx, { id: `${desk}:${id}`, desk, user: id, role, name, email });
}

/** True if the member works at the desk, as an agent or an admin. */
export function isAgent(ctx: Context): boolean {
  return ctx.tenant(orgs).member.role !== "customer";
}

/** Returns the people who work at the desk. */
export function agentsOf(ctx: Context): Promise<Member[]> {
  const { id } = ctx.tenant(orgs);
  return members.query().where("desk", "==", id).where("role", "in", ["agent", "admin"]).all(ctx);
}
