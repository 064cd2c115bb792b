import { type Context, Entity, type ID, type Index, type MaxLength, NotFound, type Ref, type Search } from "fw";
import { isAgent, type Member, orgs } from "../people/people.ts";

/** A "waiting" ticket waits for the customer. */
export type Status = "open" | "waiting" | "closed";

export interface Ticket {
  id: ID;
  subject: Search<string & MaxLength<120>>;
  status: Index<Status>;
  customer: Index<Ref<Member>>;
  assignee?: Index<Ref<Member>>;
  changed: Index<Date>;
}
export const tickets = Entity<Ticket>("tickets", {
  tenant: orgs,
  onDelete: { customer: "refuse", assignee: "clear" },
});

export interface Comment {
  id: ID;
  ticket: Index<Ref<Ticket>>;
  author: Ref<Member>;
  at: Index<Date>;
  text: string;
  /** True for a note that only agents can see. */
  internal: Index<boolean>;
  /** The name of an attached file. */
  file?: string;
}
export const comments = Entity<Comment>("comments", { tenant: orgs, onDelete: { ticket: "cascade" } });

/** Finds tickets that the member may see, most recently changed first. */
export function findTickets(ctx: Context, { status, text }: { status?: Status; text?: string }) {
  let query = tickets.query().orderBy("changed", "desc");
  if (status) query = query.where("status", "==", status);
  if (text) query = query.search(text);
  if (!isAgent(ctx)) query = query.where("customer", "==", ctx.tenant(orgs).member.id);
  return query;
}

/** Counts the tickets that the member may see, by status. */
export function countByStatus(ctx: Context) {
  return findTickets(ctx, {}).countBy(ctx, "status");
}

/** Reads a ticket that the member may see. */
export async function visibleTicket(ctx: Context, id: string) {
  const ticket = await tickets.get(ctx, id, { with: ["customer", "assignee"] });
  if (!isAgent(ctx) && ticket.customer?.id !== ctx.tenant(orgs).member.id) throw NotFound();
  return ticket;
}
