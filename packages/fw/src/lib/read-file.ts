import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The text of a file without a byte order mark; undefined where it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch {
    return undefined;
  }
}

/** The JSON of a file that fw or a package manager has written; undefined where there is none. */
export function readJSON(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Reads files below a directory as they are then, by their paths from there. */
export function textsBelow(directory: string): (path: string) => string | undefined {
  return (path) => readText(join(directory, path));
}

/** The paths of all files below a directory, including hidden ones; none if the directory does not exist. */
export function filesBelow(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
