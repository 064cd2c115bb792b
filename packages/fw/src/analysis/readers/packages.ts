import type { ParsedPackage, Parsed } from "./parsed.ts";

/** A declaration that was read, with the path of its module. */
export interface ReadInModule {
  readonly path: string;
  readonly read: Parsed;
}

/**
 * Declarations by directory, packages in name order. They come in source order: path, then position. A package is
 * named for its directory, the root's for the application.
 */
export function packagesOf(app: string, reads: Iterable<ReadInModule>): readonly ParsedPackage[] {
  const dirs = new Map<string, Parsed[]>();
  for (const { path, read } of reads) {
    const dir = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    const known = dirs.get(dir);
    if (known) known.push(read);
    else dirs.set(dir, [read]);
  }
  const packages = Array.from(dirs, ([dir, reads]) => ({
    name: dir.slice(dir.lastIndexOf("/") + 1) || app,
    dir,
    reads,
  }));
  return packages.toSorted((a, b) => order(a.name, b.name) || order(a.dir, b.dir));
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
