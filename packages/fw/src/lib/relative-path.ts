import { relative, sep } from "node:path";

/** Returns a path relative to a directory, with forward slashes. */
export function relativePath(directory: string, path: string): string {
  return withForwardSlashes(relative(directory, path));
}

/** Converts a path to the form that import specifiers and diagnostics use on every system. */
export function withForwardSlashes(path: string): string {
  return path.split(sep).join("/");
}
