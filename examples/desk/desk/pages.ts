import { Counter, flash, Invalid, Page, Redirect } from "fw";
import type { Blob, Context, Form, HTML, MaxLength, MinLength, Path, Query } from "fw";
import { IsAgent, IsMember, memberships, nameOf, orgs, writing } from "../people/people.ts";
import { keepFile } from "./files.ts";
import { deskFrame, site } from "./site.ts";
import { assign, comment, comments, openTicket, setStatus, type Status, tickets, visibleTicket } from "./tickets.ts";

export const newTickets = Counter("tickets_opened");

export interface List {
  desk: Path;
  status?: Query<Status>;
}
/** Agents see the tickets of the desk, customers their own. Open browsers follow it. */
export const list = Page(
  "GET /desks/{desk}",
  async (ctx, req: List) => {
    const frame = deskFrame(ctx);
    const status: Status = req.status ?? "open";
    let query = tickets.query().where("status", "==", status);
    if (!frame.agent) query = query.where("customer", "==", ctx.user().id);
    const shown = await query.orderBy("changed", "desc").limit(100).all(ctx);
    return site.render(ctx, "list.html", { ...frame, status, statuses: ["open", "waiting", "closed"], tickets: shown });
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
  const thread = await query.orderBy("at").all(ctx);
  const agents = frame.agent ? await agentsOf(ctx) : [];
  const statuses = ["open", "waiting", "closed"].filter((status) => status !== ticket.status);
  return site.render(ctx, "ticket.html", { ...frame, ticket, thread, agents, statuses });
}
export const showTicket = Page("GET /desks/{desk}/tickets/{id}", (ctx, req: TicketRef) => ticketPage(ctx, req), {
  allow: IsMember,
  live: true,
});

async function agentsOf(ctx: Context): Promise<string[]> {
  const desk = ctx.tenant(orgs).id;
  const members = await memberships.query().where("desk", "==", desk).where("role", "in", ["agent", "admin"]).all(ctx);
  return members.map(({ name }) => name).toSorted();
}

export interface Write {
  desk: Path;
  id: Path;
  text: Form<string & MinLength<1> & MaxLength<20_000>>;
  internal?: Form<boolean>;
  file?: Form<Blob>;
}
export const write = Page(
  "POST /desks/{desk}/tickets/{id}/comments",
  async (ctx, { desk, id, text, internal = false, file }: Write) => {
    await writing.take(ctx, ctx.user().id);
    const { status } = await visibleTicket(ctx, id);
    if (status === "closed") throw Invalid({ text: "cannot be added: the ticket is closed" });
    await comment(ctx, id, { text, internal, ...(await keepFile(ctx, file)) });
    flash(ctx, internal ? "Noted." : "Sent.");
    return Redirect(`/desks/${desk}/tickets/${id}`);
  },
  { allow: IsMember, invalid: (ctx, { id }) => ticketPage(ctx, { id }), once: true },
);

export interface Assign extends TicketRef {
  assignee: Form;
}
export const assignTicket = Page(
  "POST /desks/{desk}/tickets/{id}/assignee",
  async (ctx, { desk, id, assignee }: Assign) => {
    if (assignee !== "" && !(await agentsOf(ctx)).includes(assignee)) throw Invalid({ assignee: "is no agent" });
    await assign(ctx, id, assignee);
    flash(ctx, assignee === nameOf(ctx.user()) ? "It is yours." : "Assigned.");
    return Redirect(`/desks/${desk}/tickets/${id}`);
  },
  { allow: IsAgent },
);

export interface SetStatus extends TicketRef {
  status: Form<Status>;
}
export const changeStatus = Page(
  "POST /desks/{desk}/tickets/{id}/status",
  async (ctx, { desk, id, status }: SetStatus) => {
    await setStatus(ctx, id, status);
    flash(ctx, `The ticket is ${status}.`);
    return Redirect(`/desks/${desk}/tickets/${id}`);
  },
  { allow: IsAgent },
);
