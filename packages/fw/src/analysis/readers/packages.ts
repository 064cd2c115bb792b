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
  /** The lists of declarations of each package's modules, by directory. */
  #parts: ReadonlyMap<string, ModuleReads> = new Map();

  /**
   * Returns the packages sorted by name, with declarations in the order of `modules`. A package is named after its
   * directory, and the root package after the application. Returns the same list if no package has changed.
   */
  read(app: string, modules: readonly ReadModule[]): readonly ParsedPackage[] {
    const before = new Map(this.#last.map((each) => [each.dir, each]));
    const parts = readsByDirectory(modules);
    const packages = Array.from(parts, ([dir, own]): ParsedPackage => {
      const name = dir.slice(dir.lastIndexOf("/") + 1) || app;
      const previous = before.get(dir);
      const isSame = previous?.name === name && hasSameReads(this.#parts.get(dir) ?? [], own);
      return isSame ? previous : { name, dir, reads: own.flat() };
    }).toSorted((a, b) => compareText(a.name, b.name) || compareText(a.dir, b.dir));
    this.#parts = parts;
    if (!isSameList(this.#last, packages)) this.#last = packages;
    return this.#last;
  }
}

type ModuleReads = readonly (readonly Parsed[])[];

function readsByDirectory(modules: readonly ReadModule[]): ReadonlyMap<string, ModuleReads> {
  const declaring = modules.filter(({ reads }) => reads.length > 0);
  const groups = grouped(declaring, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  return new Map([...groups].map(([dir, own]) => [dir, own.map(({ reads }) => reads)]));
}

/** True for the same declarations. Compares module by module, because an edit replaces only some modules' lists. */
function hasSameReads(before: ModuleReads, after: ModuleReads): boolean {
  return (
    before.length === after.length &&
    before.every((reads, index) => reads === after[index] || isSameList(reads, after[index] ?? []))
  );
}
