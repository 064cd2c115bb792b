import { sep } from "node:path";
import type { BundleOptions } from "./bundle.ts";
import { readText } from "../lib/read-file.ts";

/** A bundle, and all that it was made of. */
interface Made {
  readonly options: BundleOptions;
  /** The application's modules in it, as they went into it. */
  readonly modules: ReadonlyMap<string, string>;
  /** Other files of the application in it, such as JSON. */
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly result: unknown;
}

/** Bundles that are made of the same as before are not made again. What is below a `node_modules` counts as the same. */
export class BundleMemo {
  readonly #made = new Map<string, Made>();

  /** The bundle of that name: what `make` makes of the options, now or before. */
  async once<T>(name: string, options: BundleOptions, make: (options: BundleOptions) => Promise<T>): Promise<T> {
    const before = this.#made.get(name);
    if (before !== undefined && isSame(before, options)) return before.result as T;
    const modules = new Map<string, string>();
    const files = new Map<string, string | undefined>();
    const result = await make({
      ...options,
      prepare: (path, text) => noted(modules, path, options.prepare(path, text)),
      onUnhandledFile: (path) => {
        if (isOfApplication(path)) files.set(path, readText(path));
      },
    });
    this.#made.set(name, { options, modules, files, result });
    return result;
  }
}

function noted(modules: Map<string, string>, path: string, text: string): string {
  modules.set(path, text);
  return text;
}

/** What of the options is a text by a name. */
const maps = ["generated", "replaced", "separateChunks", "effects"] as const;

function isSame({ options: before, modules, files }: Made, options: BundleOptions): boolean {
  return (
    before.entry === options.entry &&
    maps.every((name) => sameEntries(before[name], options[name])) &&
    sameKeys(before.sources, options.sources) &&
    [...files].every(([path, text]) => readText(path) === text) &&
    [...modules].every(([path, text]) => options.prepare(path, options.sources.get(path) ?? "") === text)
  );
}

function sameEntries(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, text]) => other.get(name) === text);
}

/** A module that came or went may be what an import leads to now. */
function sameKeys(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one.keys()].every((name) => other.has(name));
}

function isOfApplication(path: string): boolean {
  return !path.startsWith("\0") && !path.includes(`${sep}node_modules${sep}`);
}
