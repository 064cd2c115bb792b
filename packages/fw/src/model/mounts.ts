import { percentDecoded } from "../lib/percent.ts";
import type { Route } from "./route.ts";

/** The method of a mount's route, which accepts every method. */
export const everyMethod = "*";

/** Returns the segments of a mount's path, which has no parameters. */
export function mountedAt({ segments }: Route): readonly string[] {
  return segments.flatMap((segment) => ("literal" in segment ? [segment.literal] : []));
}

/** Sorts mounts by precedence: the longest paths come first. */
export function longestFirst<T>(mounts: readonly T[], routeOf: (mount: T) => Route): readonly T[] {
  return mounts.toSorted((one, other) => routeOf(other).segments.length - routeOf(one).segments.length);
}

export function isBelow(path: string, route: Route): boolean {
  const parts = path.split("/").slice(1);
  return mountedAt(route).every((literal, i) => percentDecoded(parts[i] ?? "") === literal);
}
