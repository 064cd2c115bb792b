import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Milliseconds to keep the directory of a command that no longer runs. */
const abandonedMs = 3_600_000;

/**
 * Creates an empty directory next to `place`, with this process's id in its name, because several commands may write
 * `place` at once.
 */
export async function ownDirectory(place: string): Promise<string> {
  await mkdir(dirname(place), { recursive: true });
  await removeAbandoned(place);
  const own = nameBeside(place);
  await mkdir(own);
  return own;
}

/** Moves `own` to `place` and deletes the old directory. If several processes do so at once, the last one wins. */
export async function replaceDirectory(place: string, own: string): Promise<void> {
  const old = nameBeside(place);
  while (!(await tryMove(own, place, ["ENOTEMPTY", "EEXIST", "EPERM"]))) {
    // ENOENT: another process moved it first.
    await tryMove(place, old, ["ENOENT", "EPERM"]);
    await rm(old, { recursive: true, force: true });
  }
}

/** Returns false if the move fails with one of `codes`; throws other errors. */
async function tryMove(from: string, to: string, codes: readonly string[]): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

function nameBeside(place: string): string {
  return `${place}.${process.pid}-${randomBytes(4).toString("hex")}`;
}

/** Deletes the directories of commands that were killed. */
async function removeAbandoned(place: string): Promise<void> {
  const siblings = await readdir(dirname(place));
  const pattern = new RegExp(`^${basename(place)}\\.(\\d+)-[0-9a-f]{8}$`);
  for (const name of siblings) {
    const pid = pattern.exec(name)?.[1];
    const path = join(dirname(place), name);
    if (pid !== undefined && !isRunning(Number(pid)) && (await isOld(path)))
      await rm(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * True if the directory can be deleted. A recent one may belong to a process in another container, whose process ids
 * differ.
 */
async function isOld(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && Date.now() - facts.mtimeMs > abandonedMs;
}
