import { join } from "node:path";
import { PlatformError } from "./errors.ts";

/** Whether a name from data is safe to use as a file name. */
export function isFileName(name: unknown): name is string {
  return typeof name === "string" && /^[\w-]+$/.test(name);
}

/**
 * Returns the path of a file whose name comes from data: a row of a store, a backup or an export. Prevents path
 * traversal: fails with `data` unless the name consists of letters, digits, hyphens and underscores.
 */
export function namedFile(directory: string, name: unknown): string {
  if (isFileName(name)) return join(directory, name);
  throw new PlatformError("data", `${JSON.stringify(name)} is not a valid file name in ${directory}`);
}
