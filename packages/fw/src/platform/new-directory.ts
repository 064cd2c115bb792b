import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { PlatformError } from "./errors.ts";

/**
 * Has what is made fill a directory, which is not there or empty, under another name until it is whole. Where that fails, nothing is
 * left; with `data` where there is something already.
 */
export async function newDirectory<T>(
  to: string,
  made: "a backup" | "an export",
  fill: (partial: string) => Promise<T>,
): Promise<T> {
  const there = existsSync(to) ? await readdir(to).catch(() => ["a file"]) : [];
  if (there.length > 0)
    throw new PlatformError("data", `${to} is there already: ${made} is made in a directory of its own`);
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const filled = await fill(partial);
    if (existsSync(to)) await rmdir(to);
    await rename(partial, to);
    await syncDirectory(dirname(to));
    return filled;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Makes the names in a directory durable. Windows has no such thing and refuses. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
