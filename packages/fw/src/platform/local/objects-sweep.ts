import { opendir, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectFiles } from "./objects-files.ts";
import type { ObjectRows } from "./objects-rows.ts";

/** Deletes the files that no object holds: a process was killed before its commit, or before it deleted what was replaced. */
export async function sweepFiles(files: ObjectFiles, rows: ObjectRows, stopped: () => boolean): Promise<void> {
  for await (const { name } of await opendir(files.directory)) {
    if (stopped()) return;
    // One look at both, without a pause in which a write could come to its end.
    if (files.isInUse(name) || rows.holds(name)) continue;
    await unlink(join(files.directory, name)).catch(() => {});
  }
}
