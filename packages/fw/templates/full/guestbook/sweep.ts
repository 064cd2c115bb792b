import { Cron } from "fw";
import { entries } from "./entries.ts";

const maxAge = 365 * 24 * 60 * 60 * 1000;

/** Deletes up to 500 entries older than a year, every night at 3:00. */
export const sweep = Cron("sweep", "0 3 * * *", async (ctx) => {
  const old = await entries
    .query()
    .where("written", "<", new Date(ctx.now().getTime() - maxAge))
    .limit(500)
    .all(ctx);
  for (const { id } of old) await entries.delete(ctx, id);
  ctx.log.info("deleted old entries", { entries: old.length });
});
