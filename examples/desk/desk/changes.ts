import { type Context, Feed, Invalid, transaction } from "fw";
import { isAgent, members, orgs } from "../people/people.ts";
import { answer } from "./mails.ts";
import { type Comment, comments, type Ticket, tickets } from "./tickets.ts";

/** A change at a desk, sent to open browsers and programs. */
export interface Change {
  ticket: string;
  subject: string;
  what: string;
  by: string;
  at: Date;
}
export const changes = Feed<Change>("changes", { tenant: orgs });

/** Announces a change to open browsers and programs, if the transaction commits. */
function announce(tx: Context, { id, subject }: Ticket, what: string, by: string): Promise<void> {
  return changes.publish(tx, "all", { ticket: id, subject, what, by, at: tx.now() });
}

type Draft = Pick<Ticket & Comment, "subject" | "text" | "file">;
export function openTicket(ctx: Context, { subject, text, file }: Draft): Promise<Ticket> {
  const { id: author, name } = ctx.tenant(orgs).member;
  const at = ctx.now();
  return transaction(ctx, async (tx) => {
    const ticket = await tickets.create(tx, { subject, status: "open", customer: author, changed: at });
    await comments.create(tx, { ticket: ticket.id, author, at, text, file, internal: false });
    await announce(tx, ticket, "opened", name);
    return ticket;
  });
}

type Remark = Pick<Comment, "text" | "internal" | "file">;
/** Adds a comment. If it is an answer to the customer, mails it and marks the ticket as waiting for the customer. */
export function comment(ctx: Context, id: string, { text, file, ...remark }: Remark): Promise<Comment> {
  const { id: desk, member: author } = ctx.tenant(orgs);
  const internal = remark.internal && isAgent(ctx);
  const status = isAgent(ctx) ? ("waiting" as const) : ("open" as const);
  const at = ctx.now();
  return transaction(ctx, async (tx) => {
    const ticket = await tickets.update(tx, id, (old) => {
      if (old.status === "closed") throw Invalid({ text: "cannot be added: the ticket is closed" });
      return { ...old, changed: at, ...(internal ? {} : { status }) };
    });
    await announce(tx, ticket, internal ? "noted" : "answered", author.name);
    if (status === "waiting" && !internal) {
      const { name, email: address } = await members.get(tx, ticket.customer);
      const path = `/desks/${desk}/tickets/${id}`;
      await answer.send(tx, { subject: ticket.subject, text, path }, { to: { name, address } });
    }
    return comments.create(tx, { ticket: id, author: author.id, at, text, file, internal });
  });
}

export function triage(ctx: Context, id: string, change: Partial<Ticket>, by: string): Promise<void> {
  return transaction(ctx, async (tx) => {
    const ticket = await tickets.update(tx, id, (old) => ({ ...old, ...change, changed: ctx.now() }));
    await announce(tx, ticket, ticket.status, by);
  });
}
