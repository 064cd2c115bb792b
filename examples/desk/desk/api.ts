import { API, MCP, type MaxLength, type MinLength, type Path, type Query } from "fw";
import { auth, IsAgent, IsMember, writing } from "../people/people.ts";
import { comment, openTicket } from "./changes.ts";
import { type Comment, countByStatus, findTickets, type Status, type Ticket, visibleTicket } from "./tickets.ts";

/** Creates a token for a program or an agent of the user. Its secret is shown only once. */
export const createToken = API(
  "POST /api/tokens",
  async (ctx, { name }: { name: string & MinLength<1> & MaxLength<60> }): Promise<{ secret: string }> => {
    const { secret } = await auth.tokens.create(ctx, ctx.user(), { name, expires: "90d" });
    return { secret };
  },
  { signIn: true, status: 201 },
);

export interface ListTickets {
  desk: Path;
  status?: Query<Status>;
  /** Words to find in the subject. */
  text?: Query;
  /** The cursor from the previous page. */
  after?: Query;
}
/** Lists the tickets of a desk, most recently changed first. */
export const listTickets = API(
  "GET /api/desks/{desk}/tickets",
  (ctx, { after, ...filter }: ListTickets) =>
    findTickets(ctx, filter).limit(50).with("customer", "assignee").page(ctx, after),
  { allow: IsAgent },
);

/** Counts the tickets by status. */
export const countTickets = API("GET /api/desks/{desk}/counts", (ctx, _req: { desk: Path }) => countByStatus(ctx), {
  allow: IsAgent,
});

export interface NewTicket {
  desk: Path;
  subject: string & MinLength<3> & MaxLength<120>;
  text: string & MinLength<1> & MaxLength<20_000>;
}
/** Asks a desk a question. */
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
  /** The comment's text in Markdown. */
  text: string & MinLength<1> & MaxLength<20_000>;
  /** True for a note that only agents can see. */
  internal?: boolean;
}
/** Adds a comment to a ticket. */
export const createComment = API(
  "POST /api/desks/{desk}/tickets/{id}/comments",
  async (ctx, { id, text, internal = false }: NewComment): Promise<Comment> => {
    await writing.take(ctx, ctx.user().id);
    await visibleTicket(ctx, id);
    return comment(ctx, id, { text, internal });
  },
  { allow: IsMember, status: 201 },
);

/** The tickets at the user's desks. Show an answer to the user before you send it. */
export const mcp = MCP("/mcp", { tools: [listTickets, createTicket, createComment], signIn: true });
