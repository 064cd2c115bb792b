import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Returns the URL that a specifier has in a directory's package; undefined if it cannot be resolved there. */
export function resolvedFrom(directory: string, specifier: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(directory, "package.json")).resolve(specifier)).href;
  } catch {
    return undefined;
  }
}
