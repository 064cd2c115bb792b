import { isAbsolute, relative, resolve, sep } from "node:path";

/** Returns a path relative to the directory if it is inside, and an absolute path otherwise. */
export function shownPath(directory: string, path: string): string {
  const way = relative(directory, path);
  const isBelow = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  return isBelow ? way : resolve(path);
}
