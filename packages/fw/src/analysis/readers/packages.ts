import { grouped } from "../../lib/grouped.ts";
import type { ParsedPackage, Parsed } from "./parsed.ts";

/** A declaration with the path of its module. */
export interface ReadInModule {
  readonly path: string;
  readonly read: Parsed;
}

/**
 * Groups declarations by directory. Packages are sorted by name, declarations by source order. A package has the name
 * of its directory, the root package that of the application.
 */
export function packagesOf(app: string, reads: Iterable<ReadInModule>): readonly ParsedPackage[] {
  const packages = Array.from(
    grouped(reads, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/")))),
    ([dir, own]) => ({ name: dir.slice(dir.lastIndexOf("/") + 1) || app, dir, reads: own.map(({ read }) => read) }),
  );
  return packages.toSorted((a, b) => order(a.name, b.name) || order(a.dir, b.dir));
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
