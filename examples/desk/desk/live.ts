import { API, events, Feed, type Header, type Path } from "fw";
import { IsAgent, orgs } from "../people/people.ts";
import { changes } from "./changes.ts";
import { visibleTicket } from "./tickets.ts";

/** The agents whose browsers show a ticket. */
export const lookers = Feed<string>("lookers", { tenant: orgs });

/** The names of the agents who look at a ticket, again whenever they change. */
export const watchLookers = API(
  "GET /desks/{desk}/tickets/{id}/lookers",
  async (ctx, req: { desk: Path; id: Path }) => {
    const { id } = await visibleTicket(ctx, req.id);
    return events(lookers.followPresence(ctx, id, ctx.tenant(orgs).member.name));
  },
  { allow: IsAgent },
);

/** The changes at a desk, from now on or after the last one that the client has. */
export const watchDesk = API(
  "GET /api/desks/{desk}/changes",
  (ctx, { after }: { desk: Path; after?: Header<string, "Last-Event-ID"> }) =>
    events(changes.events(ctx, "all", { after })),
  { allow: IsAgent },
);
