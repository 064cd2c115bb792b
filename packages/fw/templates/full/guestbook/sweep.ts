import { Cron } from "fw";
import { entries } from "./entries.ts";

const kept = 365 * 24 * 60 * 60 * 1000;

/** Entries of more than a year ago go, every night. */
export const sweep = Cron("sweep", "0 3 * * *", async (ctx) => {
  const old = await entries
    .query()
    .where("written", "<", new Date(Date.now() - kept))
    .limit(500)
    .all(ctx);
  for (const { id } of old) await entries.delete(ctx, id);
  ctx.log.info("swept", { entries: old.length });
});
