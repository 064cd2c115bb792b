import { type Context, Entity, Feed, type ID, type Index, NotFound, transaction } from "fw";
import { answer } from "./mails.ts";
import { isAgent, nameOf, orgs } from "../people/people.ts";

/** "waiting" for the customer. */
export type Status = "open" | "waiting" | "closed";

export interface Ticket {
  id: ID;
  subject: string;
  status: Index<Status>;
  /** The user who asked. */
  customer: Index<string>;
  customerName: string;
  email: string;
  /** The name of an agent, or "". */
  assignee: Index<string>;
  openedAt: Date;
  changed: Index<Date>;
}
export const tickets = Entity<Ticket>("tickets", { tenant: orgs });

export interface Comment {
  id: ID;
  ticket: Index<string>;
  at: Index<Date>;
  author: string;
  text: string;
  /** Only agents see it. */
  internal: Index<boolean>;
  /** The name of an attached file. */
  file?: string;
}
export const comments = Entity<Comment>("comments", { tenant: orgs });

/** A change at a desk, for open browsers and programs. */
export interface Change {
  ticket: string;
  subject: string;
  what: string;
  by: string;
  at: Date;
}
export const changes = Feed<Change>("changes");

/** Reads a ticket that the member may see. */
export async function visibleTicket(ctx: Context, id: string): Promise<Ticket> {
  const ticket = await tickets.get(ctx, id);
  if (!isAgent(ctx) && ticket.customer !== ctx.user().id) throw NotFound();
  return ticket;
}

export interface Draft {
  subject: string;
  text: string;
  file?: string;
}
export function openTicket(ctx: Context, { subject, text, file }: Draft): Promise<Ticket> {
  const { id: customer, email } = ctx.user();
  const customerName = nameOf(ctx.user());
  const now = ctx.now();
  return transaction(ctx, async (tx) => {
    const opening = { subject, status: "open" as const, customer, customerName, email, assignee: "" };
    const ticket = await tickets.create(tx, { ...opening, openedAt: now, changed: now });
    const comment = { ticket: ticket.id, at: now, author: customerName, text, internal: false };
    await comments.create(tx, file ? { ...comment, file } : comment);
    await announce(tx, ticket, "opened");
    return ticket;
  });
}

export interface Remark {
  text: string;
  internal: boolean;
  file?: string;
}
/** Adds a comment. An answer to the customer is mailed, and the ticket waits for the customer. */
export function comment(ctx: Context, id: string, { text, internal, file }: Remark): Promise<Comment> {
  return transaction(ctx, async (tx) => {
    const agent = isAgent(ctx);
    const status = internal ? undefined : agent ? ("waiting" as const) : ("open" as const);
    const ticket = await tickets.update(tx, id, (old) => ({
      ...old,
      status: status ?? old.status,
      changed: ctx.now(),
    }));
    if (status === "waiting") {
      const path = `/desks/${ctx.tenant(orgs).id}/tickets/${id}`;
      const to = { name: ticket.customerName, address: ticket.email };
      await answer.send(tx, { subject: ticket.subject, text, path }, { to });
    }
    await announce(tx, ticket, internal ? "noted" : "answered");
    const remark = { ticket: id, at: ctx.now(), author: nameOf(ctx.user()), text, internal: internal && agent };
    return comments.create(tx, file ? { ...remark, file } : remark);
  });
}

export function assign(ctx: Context, id: string, assignee: string): Promise<void> {
  return transaction(ctx, async (tx) => {
    const ticket = await tickets.update(tx, id, (old) => ({ ...old, assignee }));
    await announce(tx, ticket, assignee === "" ? "unassigned" : `assigned to ${assignee}`);
  });
}

export function setStatus(ctx: Context, id: string, status: Status): Promise<void> {
  return transaction(ctx, async (tx) => {
    const ticket = await tickets.update(tx, id, (old) => ({ ...old, status, changed: ctx.now() }));
    await announce(tx, ticket, status);
  });
}

/** Tells open browsers and programs of a change, if it commits. */
function announce(tx: Context, { id, subject }: Ticket, what: string): Promise<void> {
  const user = tx.maybeUser();
  const change = { ticket: id, subject, what, by: user ? nameOf(user) : "desk", at: tx.now() };
  return changes.publish(tx, tx.tenant(orgs).id, change);
}
