import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { PlatformError } from "./errors.ts";

/**
 * Fills a new or empty directory atomically: writes to a temporary name and renames it when complete. Leaves nothing
 * behind on failure; fails with `data` if the directory has content.
 */
export async function newDirectory<T>(
  to: string,
  content: "a backup" | "an export" | "a copy",
  fill: (partial: string) => Promise<T>,
): Promise<T> {
  const entries = existsSync(to) ? await readdir(to).catch(() => ["a file"]) : [];
  if (entries.length > 0)
    throw new PlatformError("data", `${to} already exists; ${content} needs a new or empty directory`);
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const result = await fill(partial);
    if (existsSync(to)) await rmdir(to);
    await rename(partial, to);
    await syncDirectory(dirname(to));
    return result;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Makes the entries of a directory durable (fsync). Windows does not support it. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
