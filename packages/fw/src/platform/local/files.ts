import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { markFile } from "./open-mark.ts";
import { setAsideDirectory } from "./set-aside.ts";

/** File modes that give access only to the owner. */
const ownFile = 0o600;
const ownDirectory = 0o700;

const files = ["store", "store-wal", "store-shm", markFile, "secrets"];

/** Creates a data directory and its lock file if they do not exist, and makes both private. */
export function ensureDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: ownDirectory });
  narrow(directory, ownDirectory);
  ensureFile(join(directory, "lock"));
}

/**
 * Creates the store file before SQLite does, and makes all files private. SQLite gives its other files the mode of the
 * store file.
 */
export function ensureFiles(directory: string): void {
  ensureFile(join(directory, "store"));
  for (const name of files) narrow(join(directory, name), ownFile);
  for (const name of ["objects", setAsideDirectory]) narrow(join(directory, name), ownDirectory);
}

/** Creates a missing file. Never opens an existing one: closing it would release this process's SQLite locks. */
function ensureFile(path: string): void {
  if (statOf(path) === undefined) closeSync(openSync(path, "a", ownFile));
  narrow(path, ownFile);
}

export function hasObjects(directory: string): boolean {
  return statOf(join(directory, "objects")) !== undefined && readdirSync(join(directory, "objects")).length > 0;
}

export function statOf(path: string): { readonly size: number; readonly mode: number } | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** Removes the permissions that exceed `mode`; skips files with another owner. */
function narrow(path: string, mode: number): void {
  const stats = statOf(path);
  if (stats === undefined || (stats.mode & 0o777 & ~mode) === 0) return;
  try {
    chmodSync(path, stats.mode & mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
  }
}
