import { readFileSync } from "node:fs";

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
