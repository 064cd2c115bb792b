import { Cron } from "fw";
import { digest } from "./mails.ts";
import { desks, memberships, orgs } from "../people/people.ts";
import { setStatus, tickets } from "./tickets.ts";

const day = 86_400_000;

/** Closes tickets that have waited for their customers for two weeks. */
export const closeStale = Cron("close-stale", "30 3 * * *", async (ctx) => {
  const before = new Date(ctx.now().getTime() - 14 * day);
  for await (const { id: desk } of desks.query().each(ctx)) {
    const inside = orgs.as(ctx, desk);
    const stale = tickets.query().where("status", "==", "waiting").where("changed", "<", before);
    for await (const { id } of stale.each(inside)) await setStatus(inside, id, "closed");
  }
});

/** Tells the agents of each desk in the morning what waits for them. */
export const sendDigests = Cron(
  "digest",
  "0 7 * * mon-fri",
  async (ctx) => {
    for await (const { id: desk, name } of desks.query().each(ctx)) {
      const inside = orgs.as(ctx, desk);
      const open = await tickets.query().where("status", "==", "open").count(inside);
      if (open === 0) continue;
      const agents = memberships.query().where("desk", "==", desk).where("role", "in", ["agent", "admin"]);
      for await (const agent of agents.each(ctx)) {
        await digest.send(ctx, { desk, name, open }, { to: { name: agent.name, address: agent.email } });
      }
    }
  },
  { timezone: "Europe/Zurich" },
);
