import { API, events, Feed, type Header, type Path } from "fw";
import { IsAgent, orgs } from "../people/people.ts";
import { changes } from "./changes.ts";
import { visibleTicket } from "./tickets.ts";

/** The agents who have a ticket open in their browsers. */
export const lookers = Feed<string>("lookers", { tenant: orgs });

/** Streams the names of the agents who have a ticket open, whenever they change. */
export const watchLookers = API(
  "GET /desks/{desk}/tickets/{id}/lookers",
  async (ctx, req: { desk: Path; id: Path }) => {
    const { id } = await visibleTicket(ctx, req.id);
    return events(lookers.followPresence(ctx, id, ctx.tenant(orgs).member.name));
  },
  { allow: IsAgent },
);

/** Streams the changes at a desk, starting now or after the last one that the client received. */
export const watchDesk = API(
  "GET /api/desks/{desk}/changes",
  (ctx, { after }: { desk: Path; after?: Header<string, "Last-Event-ID"> }) =>
    events(changes.events(ctx, "all", { after })),
  { allow: IsAgent },
);
