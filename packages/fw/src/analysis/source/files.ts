import { readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import type { Unsaved } from "../../lib/unsaved.ts";

/** Bytes of the largest file that is read. */
const largestFile = 32 * 1024 * 1024;
/** Directories inside directories; more is a mistake of whatever made them. */
const deepest = 64;

/** The files of an application by what they are; paths are relative to its root and sorted. */
export interface FileList {
  /** Its own source, without tests. */
  readonly sources: readonly string[];
  /** Type declarations, `.d.ts`: no code, but they may add to types of the sources. */
  readonly ambient: readonly string[];
  /** What is declared there is not read: JavaScript, TypeScript of CommonJS, and what a package.json that names nothing keeps apart. */
  readonly scripts: readonly string[];
}

/** An entry of a directory, as far as it is looked at. */
type Entry = Pick<Dirent, "name" | "isDirectory" | "isFile" | "isSymbolicLink">;

/**
 * Lists the files of an application, those that an editor has not written yet among them. Not among them: what tools make (`node_modules`, `dist`, dot directories), and
 * directories with their own package.json.
 */
export function listFiles(root: string, unsaved: Unsaved): FileList {
  const sources: string[] = [];
  const ambient: string[] = [];
  const scripts: string[] = [];
  const unwritten = unwrittenByDirectory(unsaved);
  const waiting: Waiting[] = [{ dir: "", depth: 0, isApart: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { dir, depth } = next;
    const entries = withUnwritten(entriesOf(join(root, dir)), unwritten.get(join(root, dir)));
    const hasManifest = dir !== "" && entries.some((entry) => entry.name === "package.json");
    if (hasManifest && !isOfModules(join(root, dir), unsaved)) continue;
    const isApart = next.isApart || hasManifest;
    for (const entry of entries) {
      const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
      if (entry.isDirectory()) {
        if (depth < deepest && !isPrivateDirectory(entry.name)) waiting.push({ dir: path, depth: depth + 1, isApart });
      } else if (isSourceName(entry.name)) {
        if (isFileEntry(root, path, entry)) (isApart ? scripts : sources).push(path);
      } else if (isAmbientName(entry.name)) {
        if (!isApart && isFileEntry(root, path, entry)) ambient.push(path);
      } else if (isScriptName(entry.name) && isFileEntry(root, path, entry)) scripts.push(path);
    }
  }
  return { sources: sources.toSorted(), ambient: ambient.toSorted(), scripts: scripts.toSorted() };
}

interface Waiting {
  readonly dir: string;
  readonly depth: number;
  /** True below a package.json that names no application. */
  readonly isApart: boolean;
}

/** Names of files by directory. One whose directory is not there counts once it is written. */
function unwrittenByDirectory(unsaved: Unsaved): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const path of unsaved.keys()) {
    const known = found.get(dirname(path));
    if (known) known.push(basename(path));
    else found.set(dirname(path), [basename(path)]);
  }
  return found;
}

function withUnwritten(entries: readonly Dirent[], names: readonly string[] = []): readonly Entry[] {
  const missing = names.filter((name) => entries.every((entry) => entry.name !== name));
  const file = { isDirectory: () => false, isFile: () => true, isSymbolicLink: () => false };
  return [...entries, ...missing.map((name) => ({ name, ...file }))];
}

/** Text of a file, or why there is none; undefined when it does not exist. A byte order mark stays. */
export function readSource(
  file: string,
  unsaved: Unsaved,
): { readonly text: string } | { readonly why: string } | undefined {
  const held = unsaved.get(file);
  if (held !== undefined) return { text: held };
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return undefined;
    if (stat.size > largestFile)
      return { why: `this file is larger than ${largestFile} bytes, which is too large to analyse` };
    return decode(readFileSync(file));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : { why: `this file cannot be read: ${code}` };
  }
}

function decode(bytes: Buffer): { readonly text: string } | { readonly why: string } {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  try {
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { why: "this file is not UTF-8 text" };
  }
}

/** Entries of a directory; none when it cannot be read. */
export function entriesOf(dir: string): readonly Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** What a package.json has that only says what kind of modules are in its directory. */
const ofModules: ReadonlySet<string> = new Set(["type", "private", "sideEffects"]);

function isOfModules(dir: string, unsaved: Unsaved): boolean {
  const read = readSource(join(dir, "package.json"), unsaved);
  try {
    const manifest: unknown = JSON.parse(read !== undefined && "text" in read ? read.text : "");
    const keys = typeof manifest === "object" && manifest !== null ? Object.keys(manifest) : [];
    return keys.length > 0 && keys.every((key) => ofModules.has(key));
  } catch {
    return false;
  }
}

function isPrivateDirectory(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}

function isSourceName(name: string): boolean {
  return /\.(?:ts|mts|tsx)$/.test(name) && !/\.(?:d|test|spec)\.\w+$/.test(name) && !name.startsWith(".");
}

function isScriptName(name: string): boolean {
  return /\.(?:[cm]?jsx?|cts)$/.test(name) && !/\.(?:test|spec)\.\w+$/.test(name) && !name.startsWith(".");
}

function isAmbientName(name: string): boolean {
  return /\.d\.[cm]?ts$/.test(name) && !name.startsWith(".");
}

/** Links to files count, links to directories do not: they may lead in circles. */
function isFileEntry(root: string, path: string, entry: Entry): boolean {
  return entry.isFile() || (entry.isSymbolicLink() && isFile(join(root, path)));
}

/** The directory of a file of the application; "" for its root. */
export function directoryOf(path: string): string {
  const dir = posix.dirname(path);
  return dir === "." ? "" : dir;
}

export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}
