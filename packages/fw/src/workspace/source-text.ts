import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Reads files of the application at `root` as they are on disk now, by path relative to it; undefined where there is none. */
export function sourceText(root: string): (path: string) => string | undefined {
  return (path) => {
    try {
      return readFileSync(join(root, path), "utf8");
    } catch {
      return undefined;
    }
  };
}
