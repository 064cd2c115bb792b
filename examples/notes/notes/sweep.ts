import { Cron } from "fw";
import { attachments } from "./attachments.ts";
import { notes } from "./note.ts";

/**
 * Deletes attachments of deleted notes, in case a crash occurred after a note was deleted and before its attachments
 * were.
 */
export const sweep = Cron(
  "sweep",
  "30 3 * * *",
  async (ctx) => {
    let removed = 0;
    let known = { folder: "", kept: false };
    for await (const { key } of attachments.list(ctx)) {
      if (ctx.signal.aborted) return;
      const folder = key.split("/", 1)[0] ?? "";
      if (folder !== known.folder) {
        const note = await notes.query().where("folder", "==", folder).first(ctx);
        known = { folder, kept: note !== undefined };
      }
      if (known.kept) continue;
      await attachments.delete(ctx, key);
      removed++;
    }
    ctx.log.info("attachments of deleted notes removed", { removed });
  },
  { timezone: "Europe/Zurich", deadline: "10m" },
);
