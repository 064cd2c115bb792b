import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { markFile } from "./open-mark.ts";
import { setAsideDirectory } from "./set-aside.ts";

/** What only the owner may read. */
const ownFile = 0o600;
const ownDirectory = 0o700;

/** The files of a store. */
const files = ["store", "store-wal", "store-shm", markFile, "secrets"];

/** Makes a data directory where there is none, with the file of its lock. */
export function keepDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: ownDirectory });
  narrow(directory, ownDirectory);
  keepFile(join(directory, "lock"));
}

/** Makes the file of the store before SQLite does, and narrows what others may read. SQLite gives its other files the mode of this one. */
export function keepFiles(directory: string): void {
  keepFile(join(directory, "store"));
  for (const name of files) narrow(join(directory, name), ownFile);
  for (const name of ["objects", setAsideDirectory]) narrow(join(directory, name), ownDirectory);
}

/** A file that is there is not opened: closing it would end the locks that SQLite has on it in this process. */
function keepFile(path: string): void {
  if (statOf(path) === undefined) closeSync(openSync(path, "a", ownFile));
  narrow(path, ownFile);
}

/** Whether the directory holds bytes of objects. */
export function hasObjects(directory: string): boolean {
  return statOf(join(directory, "objects")) !== undefined && readdirSync(join(directory, "objects")).length > 0;
}

/** What is there under a path. */
export function statOf(path: string): { readonly size: number; readonly mode: number } | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** What belongs to somebody else stays as they want it. */
function narrow(path: string, mode: number): void {
  const found = statOf(path);
  if (found === undefined || (found.mode & 0o777 & ~mode) === 0) return;
  try {
    chmodSync(path, found.mode & mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}
