import { compareText } from "../../lib/names.ts";
import { grouped } from "../../lib/grouped.ts";
import { isSameList } from "../../lib/same-items.ts";
import type { ParsedPackage, Parsed } from "./parsed.ts";

export interface ReadModule {
  readonly path: string;
  readonly reads: readonly Parsed[];
}

/** Groups declarations by directory. Packages with the same declarations as before stay the same objects. */
export class PackageReader {
  #last: readonly ParsedPackage[] = [];

  /**
   * Packages are sorted by name, declarations by source order. A package has the name of its directory, the root
   * package that of the application. Returns the same list if no package has changed.
   */
  read(app: string, modules: readonly ReadModule[]): readonly ParsedPackage[] {
    const before = new Map(this.#last.map((each) => [each.dir, each]));
    const packages = packagesOf(app, modules).map((each) => {
      const previous = before.get(each.dir);
      return previous?.name === each.name && isSameList(previous.reads, each.reads) ? previous : each;
    });
    if (!isSameList(this.#last, packages)) this.#last = packages;
    return this.#last;
  }
}

function packagesOf(app: string, modules: readonly ReadModule[]): readonly ParsedPackage[] {
  const declaring = modules.filter(({ reads }) => reads.length > 0);
  const packages = Array.from(
    grouped(declaring, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/")))),
    ([dir, own]) => ({
      name: dir.slice(dir.lastIndexOf("/") + 1) || app,
      dir,
      reads: own.flatMap(({ reads }) => reads),
    }),
  );
  return packages.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.dir, b.dir));
}
