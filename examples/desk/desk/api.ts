import { API, type MaxLength, type MinLength, type Path, type Query } from "fw";
import { auth, IsAgent, IsMember, writing } from "../people/people.ts";
import { comment, type Comment, openTicket, type Status, type Ticket, tickets, visibleTicket } from "./tickets.ts";

export interface NewToken {
  name: string & MinLength<1> & MaxLength<60>;
}
/** A token for a program of the user, shown once. */
export const createToken = API(
  "POST /api/tokens",
  async (ctx, { name }: NewToken): Promise<{ secret: string }> => {
    const { secret } = await auth.tokens.create(ctx, ctx.user(), { name, expires: "90d" });
    return { secret };
  },
  { signIn: true, status: 201 },
);

export interface ListTickets {
  desk: Path;
  status?: Query<Status>;
  after?: Query;
}
/** The tickets of a desk, the latest change first. */
export const listTickets = API(
  "GET /api/desks/{desk}/tickets",
  (ctx, { status, after }: ListTickets) => {
    let query = tickets.query();
    if (status !== undefined) query = query.where("status", "==", status);
    return query.orderBy("changed", "desc").limit(50).page(ctx, after);
  },
  { allow: IsAgent },
);

/** How many tickets have each status. */
export const countTickets = API(
  "GET /api/desks/{desk}/counts",
  async (ctx, _req: { desk: Path }): Promise<Record<Status, number>> => {
    const [open, waiting, closed] = await Promise.all([
      tickets.query().where("status", "==", "open").count(ctx),
      tickets.query().where("status", "==", "waiting").count(ctx),
      tickets.query().where("status", "==", "closed").count(ctx),
    ]);
    return { open, waiting, closed };
  },
  { allow: IsAgent },
);

export interface NewTicket {
  desk: Path;
  subject: string & MinLength<3> & MaxLength<120>;
  text: string & MinLength<1> & MaxLength<20_000>;
}
export const createTicket = API(
  "POST /api/desks/{desk}/tickets",
  async (ctx, { subject, text }: NewTicket): Promise<Ticket> => {
    await writing.take(ctx, ctx.user().id);
    return openTicket(ctx, { subject, text });
  },
  { allow: IsMember, status: 201 },
);

export interface NewComment {
  desk: Path;
  id: Path;
  text: string & MinLength<1> & MaxLength<20_000>;
  internal?: boolean;
}
export const createComment = API(
  "POST /api/desks/{desk}/tickets/{id}/comments",
  async (ctx, { id, text, internal = false }: NewComment): Promise<Comment> => {
    await writing.take(ctx, ctx.user().id);
    await visibleTicket(ctx, id);
    return comment(ctx, id, { text, internal });
  },
  { allow: IsMember, status: 201 },
);
