import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns a file's text without a byte order mark; undefined if the file cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch {
    return undefined;
  }
}

/** Returns the JSON in a file that fw or a package manager wrote; undefined if it is missing or invalid. */
export function readJSON(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Returns a function that reads a file by its path in the directory; it returns undefined if that fails. */
export function textsBelow(directory: string): (path: string) => string | undefined {
  return (path) => readText(join(directory, path));
}

/**
 * Lists the files below a directory, including hidden ones. Returns an empty list if the directory does not exist or
 * cannot be read.
 */
export function filesBelow(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
