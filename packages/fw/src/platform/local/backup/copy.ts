import { constants, existsSync } from "node:fs";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { newDirectory } from "../../new-directory.ts";
import { holdClosed } from "./lock-stopped.ts";

/** Files that belong to the process that has the data open. */
const processFiles = new Set(["lock", "store-wal", "store-shm", "store-open"]);

/**
 * Copies the data in `from` to `to`, all or nothing. Does nothing if `to` has data; otherwise deletes its contents
 * first. The copies share blocks with the originals where the file system supports it. Throws a PlatformError `locked`
 * while a process uses the data in `from`.
 */
export async function copyIfNew(from: string, to: string): Promise<void> {
  if (existsSync(join(to, "store"))) return;
  const hold = holdClosed(from);
  try {
    await rm(to, { recursive: true, force: true });
    await newDirectory(to, "a copy", async (partial) => {
      await mkdir(partial, { recursive: true, mode: 0o700 });
      for (const name of await readdir(from)) {
        if (processFiles.has(name) || name.startsWith("before-")) continue;
        await cp(join(from, name), join(partial, name), {
          recursive: true,
          preserveTimestamps: true,
          mode: constants.COPYFILE_FICLONE,
        });
      }
    });
  } finally {
    hold.release();
  }
}
