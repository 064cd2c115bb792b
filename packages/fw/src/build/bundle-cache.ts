import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join, posix, sep } from "node:path";
import { closure } from "../lib/closure.ts";
import { ownDirectory } from "../lib/own-modules.ts";
import { filesBelow, readJSON, readText } from "../lib/read-file.ts";
import { relativePath } from "../lib/relative-path.ts";
import { replaceFile } from "../lib/replace-file.ts";
import type { BundleOptions } from "./bundle.ts";

/** A bundle on disk and the hashes of its inputs. */
interface StoredBundle {
  /** The hash of each of the application's modules as the bundle contains it, by path relative to the root. */
  readonly modules: Readonly<Record<string, string>>;
  /** The hash of each other file that the bundler read. Paths below the root start with `rootMark`. */
  readonly files: Readonly<Record<string, string>>;
  readonly result: unknown;
}

/** A bundle from disk whose inputs are unchanged. */
export interface CurrentBundle extends Omit<StoredBundle, "modules"> {
  /** The application's modules, as the bundle contains them. */
  readonly modules: ReadonlyMap<string, string>;
}

/** Stands for the application's directory in keys and paths, so that equal applications share bundles. */
const rootMark = "<root>";

/**
 * Returns the directory of bundles that processes share; undefined if FW_BUNDLE_CACHE is not set. Tests set it, because
 * many of them build the same application. Processes that write a bundle at the same time write the same bytes.
 */
export function sharedBundles(): string | undefined {
  return process.env["FW_BUNDLE_CACHE"] || undefined;
}

/**
 * Hashes the inputs of a bundle that are known before it is made: the code that makes it, its options, the sources of
 * the application, and the files that decide how imports resolve. Returns undefined if a tsconfig.json extends files
 * that `typeScriptSettings` does not read.
 */
export function bundleKey(kind: string, options: Omit<BundleOptions, "resolver" | "prepare">): string | undefined {
  const { root, entry, startModules, externalFramework, sources } = options;
  const settings = directoriesOf([...sources.keys()]).map((directory) => settingsIn(join(root, directory)));
  if (settings.some(({ typescript }) => typescript === undefined)) return undefined;
  const maps = [options.generated, options.replacedModules, options.separateChunks, options.effects];
  const inputs = [
    [kind, process.version, bundlerVersion(), ownDirectory, (codeHash ??= hashOfCode(ownDirectory))],
    [entry, startModules, externalFramework],
    maps.map((map) => [...map]),
    [[...sources], settings, packagesIn(join(root, "node_modules"))],
  ];
  return hashOf(JSON.stringify(inputs).replaceAll(JSON.stringify(root).slice(1, -1), rootMark));
}

/** Returns every directory that contains one of the paths, up to the root. */
function directoriesOf(paths: readonly string[]): readonly string[] {
  return [
    ...closure(
      paths.map((path) => posix.dirname(path)),
      (path) => (path === "." ? [] : [posix.dirname(path)]),
    ),
  ].toSorted();
}

/** The texts of a directory's files that decide how imports resolve. */
interface ResolutionSettings {
  /** Undefined if the file does not exist. */
  readonly package: string | undefined;
  readonly typescript: readonly string[] | undefined;
}

function settingsIn(directory: string): ResolutionSettings {
  return { package: readText(join(directory, "package.json")), typescript: typeScriptSettings(directory) };
}

/**
 * Returns the texts of a directory's tsconfig.json and of the file that it extends; [] without a tsconfig.json. Returns
 * undefined for an `extends` other than one relative path to a file without `extends`.
 */
function typeScriptSettings(directory: string): readonly string[] | undefined {
  const text = readText(join(directory, "tsconfig.json"));
  if (text === undefined) return [];
  const [, ...mentions] = text.split('"extends"');
  if (mentions.length === 0) return [text];
  if (mentions.length > 1) return undefined;
  const [, base] = /^\s*\{\s*"extends"\s*:\s*"(\.{1,2}\/[^"\\]*\.json)"/.exec(text) ?? [];
  const extended = base === undefined ? undefined : readText(join(directory, base));
  return extended === undefined || extended.includes('"extends"') ? undefined : [text, extended];
}

/**
 * Reads a bundle; undefined unless every file and module in it is unchanged. Prepares only the modules in the bundle,
 * because each service contains few of the application's modules.
 */
export function readBundle(directory: string, key: string, options: BundleOptions): CurrentBundle | undefined {
  const { root, sources, prepare } = options;
  const bundle = readJSON(join(directory, `${key}.json`)) as StoredBundle | undefined;
  const isCurrent = ([path, hash]: readonly [string, string]): boolean => fileHash(pathOf(root, path)) === hash;
  if (!bundle || !Object.entries(bundle.files).every(isCurrent)) return undefined;
  const paths = Object.keys(bundle.modules);
  const modules = new Map(paths.map((path) => [path, prepare(path, sources.get(path) ?? "")]));
  return paths.every((path) => hashOf(modules.get(path) ?? "") === bundle.modules[path])
    ? { ...bundle, modules }
    : undefined;
}

/**
 * Returns the absolute paths of a bundle's files outside fw and `node_modules`, which may change as the process runs.
 */
export function changeableFiles({ files }: CurrentBundle, root: string): readonly string[] {
  return Object.keys(files)
    .map((path) => pathOf(root, path))
    .filter((path) => !path.startsWith(ownDirectory) && !path.includes(`${sep}node_modules${sep}`));
}

/** Writes a bundle atomically, so that no process reads a partial one. */
export function writeBundle(directory: string, key: string, options: BundleOptions, bundle: NewBundle): void {
  const { root, sources } = options;
  const paths = bundle.loaded.filter((path) => isAbsolute(path) && !sources.has(relativePath(root, path) ?? ""));
  const packages = paths.filter((path) => path.includes(`${sep}node_modules${sep}`)).map(packageFileOf);
  const files = [...new Set([...paths, ...packages])].map((path) => [markedPath(root, path), fileHash(path)]);
  const result = JSON.stringify(bundle.result);
  // A result that contains the directory's path is of no use in another directory.
  if (result.includes(root)) return;
  const modules = [...bundle.modules].map(([path, text]) => [path, hashOf(text)]);
  const inputs = JSON.stringify({ modules: Object.fromEntries(modules), files: Object.fromEntries(files) });
  try {
    mkdirSync(directory, { recursive: true });
    replaceFile(join(directory, `${key}.json`), `${inputs.slice(0, -1)},"result":${result}}`);
  } catch {
    // Best effort: a bundle that cannot be stored is made again.
  }
}

interface NewBundle extends Pick<CurrentBundle, "modules" | "result"> {
  /** The absolute paths of the files that the bundler read. */
  readonly loaded: readonly string[];
}

function markedPath(root: string, path: string): string {
  return path.startsWith(root + sep) ? rootMark + path.slice(root.length) : path;
}

function pathOf(root: string, path: string): string {
  return path.startsWith(rootMark) ? root + path.slice(rootMark.length) : path;
}

/** Returns the `package.json` that decides which file an import of the package resolves to. */
function packageFileOf(path: string): string {
  const [, beside = "", name = ""] = /^(.*[\\/]node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path) ?? [];
  return join(beside, name, "package.json");
}

/** Lists the packages in a `node_modules` directory, each with its path or, for a symbolic link, its target. */
function packagesIn(directory: string): readonly string[] {
  try {
    return packagesBelow(directory, "").toSorted();
  } catch {
    return [];
  }
}

/**
 * Lists the packages in a directory and in its scopes. Resolves only the links, because few of the hundreds of packages
 * are links.
 */
function packagesBelow(directory: string, scope: string): readonly string[] {
  const target = realpathSync(directory);
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith("@")) return packagesBelow(join(directory, entry.name), `${entry.name}/`);
    const path = join(target, entry.name);
    return [`${scope}${entry.name} ${entry.isSymbolicLink() ? realpathSync(path) : path}`];
  });
}

/** The layers of fw that make bundles. The key already contains the texts from other layers. */
const bundlingLayers = ["build", "lib", "workspace"];

let codeHash: string | undefined;

/** Hashes the code that makes bundles. `directory` contains fw's modules. */
export function hashOfCode(directory: string): string {
  const paths = bundlingLayers.flatMap((layer) => filesBelow(join(directory, layer))).toSorted();
  return hashOf(JSON.stringify(paths.map((path) => [path, readText(path)])));
}

let version: string | undefined;

function bundlerVersion(): string {
  return (version ??= readText(createRequire(import.meta.url).resolve("rolldown/package.json")) ?? "");
}

/** The hash of one of fw's modules, with the file facts that show whether it is stale. */
interface KnownHash {
  readonly facts: string;
  readonly hash: string;
}

const ownHashes = new Map<string, KnownHash>();

function fileHash(path: string): string {
  return path.startsWith(ownDirectory) ? ownHash(path) : hashOf(readText(path) ?? "");
}

/** Hashes a file of fw, memoized because every bundle contains several hundred of them. */
function ownHash(path: string): string {
  const { mtimeMs = 0, size = 0, ino = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  const facts = `${mtimeMs} ${size} ${ino}`;
  const before = ownHashes.get(path);
  if (before?.facts === facts) return before.hash;
  const hash = hashOf(readText(path) ?? "");
  ownHashes.set(path, { facts, hash });
  return hash;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
