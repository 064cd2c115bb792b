import { Counter, flash, Invalid, Page, Redirect } from "fw";
import type { Blob, Context, Form, HTML, MaxLength, MinLength, Path, Query } from "fw";
import { agentsOf, IsAgent, IsMember, orgs, writing } from "../people/people.ts";
import { comment, openTicket, triage } from "./changes.ts";
import { keepFile } from "./files.ts";
import { deskFrame, site } from "./site.ts";
import { comments, countByStatus, findTickets, type Status, visibleTicket } from "./tickets.ts";

export const newTickets = Counter("tickets_opened");

/** Lists the desk's tickets for agents, and their own for customers. Open browsers are updated live. */
export const list = Page(
  "GET /desks/{desk}",
  async (ctx, { status, text = "" }: { desk: Path; status?: Query<Status>; text?: Query }) => {
    const filter: { status?: Status; text: string } = { status: text ? status : (status ?? "open"), text };
    const found = await findTickets(ctx, filter).limit(100).with("customer", "assignee").all(ctx);
    return site.render(ctx, "list.html", { ...deskFrame(ctx), ...filter, found, counts: await countByStatus(ctx) });
  },
  { allow: IsMember, live: true },
);

const askPage = (ctx: Context): HTML => site.render(ctx, "new.html", deskFrame(ctx));
export const asking = Page("GET /desks/{desk}/new", (ctx, _req: { desk: Path }) => askPage(ctx), { allow: IsMember });

export interface Ask {
  desk: Path;
  subject: Form<string & MinLength<3> & MaxLength<120>>;
  text: Form<string & MinLength<1> & MaxLength<20_000>>;
  file?: Form<Blob>;
}
export const ask = Page(
  "POST /desks/{desk}/tickets",
  async (ctx, { desk, subject, text, file }: Ask) => {
    await writing.take(ctx, ctx.user().id);
    const { id } = await openTicket(ctx, { subject, text, ...(await keepFile(ctx, file)) });
    newTickets.add(ctx, 1);
    flash(ctx, "We have your question, and mail you the answer.");
    return Redirect(`/desks/${desk}/tickets/${id}`);
  },
  { allow: IsMember, invalid: askPage, once: true },
);

export interface TicketRef {
  desk: Path;
  id: Path;
}
async function ticketPage(ctx: Context, { id }: { id: string }): Promise<HTML> {
  const frame = deskFrame(ctx);
  const ticket = await visibleTicket(ctx, id);
  let query = comments.query().where("ticket", "==", id);
  if (!frame.agent) query = query.where("internal", "==", false);
  const thread = await query.orderBy("at").with("author").all(ctx);
  const agents = await agentsOf(ctx);
  return site.render(ctx, "ticket.html", { ...frame, ticket, thread, agents });
}
export const showTicket = Page("GET /desks/{desk}/tickets/{id}", (ctx, req: TicketRef) => ticketPage(ctx, req), {
  allow: IsMember,
  live: true,
});

export interface Write extends TicketRef {
  text: Form<string & MinLength<1> & MaxLength<20_000>>;
  internal?: Form<boolean>;
  file?: Form<Blob>;
}
export const write = Page(
  "POST /desks/{desk}/tickets/{id}/comments",
  async (ctx, { desk, id, text, internal = false, file }: Write) => {
    await writing.take(ctx, ctx.user().id);
    await visibleTicket(ctx, id);
    await comment(ctx, id, { text, internal, ...(await keepFile(ctx, file)) });
    flash(ctx, internal ? "Noted." : "Sent.");
    return Redirect(`/desks/${desk}/tickets/${id}`);
  },
  { allow: IsMember, invalid: (ctx, { id }) => ticketPage(ctx, { id }), once: true },
);

export const setTriage = Page(
  "POST /desks/{desk}/tickets/{id}",
  async (ctx, { desk, id, status, assignee }: TicketRef & { status: Form<Status>; assignee: Form }) => {
    const agent = (await agentsOf(ctx)).find((each) => each.id === assignee);
    if (assignee !== "" && agent === undefined) throw Invalid({ assignee: "is no agent" });
    await triage(ctx, id, { status, assignee: agent?.id }, ctx.tenant(orgs).member.name);
    flash(ctx, `The ticket is ${status}${agent ? `, ${agent.name} has it` : ""}.`);
    return Redirect(`/desks/${desk}/tickets/${id}`);
  },
  { allow: IsAgent },
);
