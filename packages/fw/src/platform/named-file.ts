import { join } from "node:path";
import { PlatformError } from "./errors.ts";

/** Whether a name that comes from data may name a file. */
export function isFileName(name: unknown): name is string {
  return typeof name === "string" && /^[\w-]+$/.test(name);
}

/**
 * The path of a file whose name comes from data: a row of a store, a backup or an export. Every such name becomes a
 * path here, so that none leads out of its directory. Fails with `data` unless the name is letters, digits, hyphens and
 * underscores.
 */
export function namedFile(directory: string, name: unknown): string {
  if (isFileName(name)) return join(directory, name);
  throw new PlatformError("data", `${JSON.stringify(name)} is not the name of a file in ${directory}`);
}
