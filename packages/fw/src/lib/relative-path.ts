import { relative, sep } from "node:path";

/** A path relative to a directory, with forward slashes. */
export function relativePath(directory: string, path: string): string {
  return withForwardSlashes(relative(directory, path));
}

/** A path as import specifiers and diagnostics show it on every system. */
export function withForwardSlashes(path: string): string {
  return path.split(sep).join("/");
}
