import { isAbsolute, relative, resolve, sep } from "node:path";

/** Returns a path as a user in the directory would type it: relative if it is below, absolute otherwise. */
export function shownPath(directory: string, path: string): string {
  const way = relative(directory, path);
  const isBelow = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  return isBelow ? way : resolve(path);
}
