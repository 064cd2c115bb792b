import { sep } from "node:path";
import type { BundledFile, BundleOptions } from "./bundle.ts";
import { readText } from "../lib/read-file.ts";

/** A bundle and its inputs. */
interface MemoizedBundle {
  readonly options: BundleOptions;
  /** The application's modules, as the bundle contains them. */
  readonly modules: ReadonlyMap<string, string>;
  /** Other files of the application in the bundle, such as JSON. */
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly result: unknown;
}

/** Caches bundles by their inputs. Treats files below `node_modules` as unchanged. */
export class BundleMemo {
  /** The first file of each bundle that has loaded without a problem. */
  readonly loaded: WeakSet<BundledFile> = new WeakSet();
  readonly #bundles = new Map<string, MemoizedBundle>();

  /** Returns the cached bundle of this name, or calls `make` for it. */
  async once<T>(name: string, options: BundleOptions, make: (options: BundleOptions) => Promise<T>): Promise<T> {
    const before = this.#bundles.get(name);
    if (before !== undefined && isSame(before, options)) return before.result as T;
    const modules = new Map<string, string>();
    const files = new Map<string, string | undefined>();
    const result = await make({
      ...options,
      prepare: (path, text) => record(modules, path, options.prepare(path, text)),
      onUnhandledFile: (path) => {
        if (isOfApplication(path)) files.set(path, readText(path));
      },
    });
    this.#bundles.set(name, { options, modules, files, result });
    return result;
  }
}

function record(modules: Map<string, string>, path: string, text: string): string {
  modules.set(path, text);
  return text;
}

/** The options that map names to texts. */
const maps = ["generated", "replacedModules", "separateChunks", "effects"] as const;

function isSame({ options: before, modules, files }: MemoizedBundle, options: BundleOptions): boolean {
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

/** Adding or removing a module may change what an import resolves to. */
function sameKeys(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one.keys()].every((name) => other.has(name));
}

function isOfApplication(path: string): boolean {
  return !path.startsWith("\0") && !path.includes(`${sep}node_modules${sep}`);
}
