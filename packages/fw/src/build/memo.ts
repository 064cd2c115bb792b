import { sep } from "node:path";
import type { BundledFile, BundleOptions } from "./bundle.ts";
import { readText } from "../lib/read-file.ts";
import { changeableFiles, bundleKey, readBundle, sharedBundles, writeBundle } from "./bundle-cache.ts";

interface MemoizedBundle {
  readonly options: BundleOptions;
  /** The application's modules as the bundle contains them. */
  readonly modules: ReadonlyMap<string, string>;
  /** Other files of the application in the bundle, such as JSON. */
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly result: unknown;
}

export interface Bundler<T> {
  readonly kind: string;
  readonly make: (options: BundleOptions) => Promise<T>;
  /** Restores the parts of a result that JSON cannot represent. */
  readonly revive: (stored: T) => T;
}

/**
 * Caches bundles by their inputs, and shares them with other processes if FW_BUNDLE_CACHE is set. Assumes that files
 * below `node_modules` do not change while the process runs.
 */
export class BundleMemo {
  /** The first file of each bundle that has passed the load check. */
  readonly loaded: WeakSet<BundledFile> = new WeakSet();
  readonly #bundles = new Map<string, MemoizedBundle>();

  /** Returns the cached bundle of this name if its inputs are unchanged; otherwise makes it. */
  async once<T>(name: string, options: BundleOptions, bundler: Bundler<T>): Promise<T> {
    const before = this.#bundles.get(name);
    if (before !== undefined && isSame(before, options)) return before.result as T;
    const directory = sharedBundles();
    const bundle = await (directory === undefined
      ? makeBundle(options, bundler)
      : sharedBundle(directory, options, bundler));
    this.#bundles.set(name, bundle);
    return bundle.result;
  }
}

/** A bundle of a known type. */
interface NewBundle<T> extends MemoizedBundle {
  readonly result: T;
}

async function makeBundle<T>(
  options: BundleOptions,
  { make }: Bundler<T>,
  onLoadedFiles: (paths: readonly string[]) => void = () => {},
): Promise<NewBundle<T>> {
  const modules = new Map<string, string>();
  const files = new Map<string, string | undefined>();
  const result = await make({
    ...options,
    prepare: (path, text) => record(modules, path, options.prepare(path, text)),
    onUnhandledFile: (path) => {
      if (isOfApplication(path)) files.set(path, readText(path));
    },
    onLoadedFiles,
  });
  return { options, modules, files, result };
}

/** Reads the bundle from the directory, or makes it and stores it there. */
async function sharedBundle<T>(directory: string, options: BundleOptions, bundler: Bundler<T>): Promise<NewBundle<T>> {
  const key = bundleKey(bundler.kind, options);
  if (key === undefined) return makeBundle(options, bundler);
  const entry = readBundle(directory, key, options);
  if (entry !== undefined) {
    const files = new Map(changeableFiles(entry, options.root).map((path) => [path, readText(path)]));
    return { options, modules: entry.modules, files, result: bundler.revive(entry.result as T) };
  }
  const loaded: string[] = [];
  const bundle = await makeBundle(options, bundler, (paths) => void loaded.push(...paths));
  writeBundle(directory, key, options, { modules: bundle.modules, loaded, result: bundle.result });
  return bundle;
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

/** True for the same modules. Adding or removing one may change what an import resolves to. */
function sameKeys(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one.keys()].every((name) => other.has(name));
}

function isOfApplication(path: string): boolean {
  return !path.startsWith("\0") && !path.includes(`${sep}node_modules${sep}`);
}
