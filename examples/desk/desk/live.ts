import { API, type Connection, type Context, events, Feed, type Header, type Path, Socket } from "fw";
import { IsAgent, nameOf, orgs } from "../people/people.ts";
import { changes, visibleTicket } from "./tickets.ts";

/** A person opened or left the page of a ticket. */
export const looks = Feed<string>("looks");

/** Sends the names of those who look at a ticket, again whenever they change. */
export const lookers = Socket(
  "GET /desks/{desk}/tickets/{id}/lookers",
  async (ctx, { id }: { desk: Path; id: Path }, socket: Connection<never, string[]>) => {
    await visibleTicket(ctx, id);
    const key = `${ctx.tenant(orgs).id}/${id}`;
    const me = nameOf(ctx.user());
    const following = follow(ctx, key, socket);
    try {
      await looks.publish(ctx, key, me);
      await following;
    } finally {
      await looks.publish(ctx, key, me);
    }
  },
  { allow: IsAgent },
);

async function follow(ctx: Context, key: string, socket: Connection<never, string[]>): Promise<void> {
  for await (const _ of looks.join(ctx, key, nameOf(ctx.user())))
    await socket.send([...(await looks.presence(ctx, key))]);
}

export interface Watch {
  desk: Path;
  after?: Header<string, "Last-Event-ID">;
}
/** The changes at a desk, from now on or after the last one that the client has. */
export const watchDesk = API(
  "GET /api/desks/{desk}/changes",
  (ctx, { after }: Watch) => events(changes.events(ctx, ctx.tenant(orgs).id, { after })),
  { allow: IsAgent },
);
