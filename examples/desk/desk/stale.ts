import { Cron, transaction } from "fw";
import { desks, orgs } from "../people/people.ts";
import { triage } from "./changes.ts";
import { tickets } from "./tickets.ts";

const twoWeeks = 14 * 86_400_000;

/** Closes tickets that have waited for their customers for two weeks. */
export const closeStale = Cron("close-stale", "30 3 * * *", async (ctx) => {
  const before = new Date(ctx.now().getTime() - twoWeeks);
  for await (const { id: desk } of desks.query().each(ctx)) {
    const inside = orgs.as(ctx, desk);
    const stale = tickets.query().where("status", "==", "waiting").where("changed", "<", before);
    for await (const { id } of stale.each(inside))
      await transaction(inside, async (tx) => {
        // The customer may have answered after the query.
        const { status, changed } = await tickets.get(tx, id);
        if (status === "waiting" && changed < before) await triage(tx, id, { status: "closed" }, "the desk");
      });
  }
});
