import { readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import type { Unsaved } from "../../lib/unsaved.ts";

/** The maximum size of a file to read, in bytes. */
const largestFile = 32 * 1024 * 1024;
/** Maximum directory depth to search; deeper trees come from a misbehaving tool. */
const maxDepth = 64;

/** An application's files by kind, sorted, with paths relative to its root. */
export interface FileList {
  /** Source files, without tests. */
  readonly sources: readonly string[];
  /** Type declarations (`.d.ts`): they contain no code, but can extend types of the sources. */
  readonly ambient: readonly string[];
  /**
   * Files whose declarations fw does not read: JavaScript, CommonJS TypeScript, and sources in a directory with a
   * package.json that only sets the module system.
   */
  readonly scripts: readonly string[];
}

/** The members of a directory entry that fw uses. */
type Entry = Pick<Dirent, "name" | "isDirectory" | "isFile" | "isSymbolicLink">;

/**
 * Lists the files of an application, including unsaved files of an editor. Excludes tool output (`node_modules`,
 * `dist`, dot directories) and other projects, which have a package.json that sets more than the module system.
 */
export function listFiles(root: string, unsaved: Unsaved): FileList {
  const lists = { sources: [] as string[], ambient: [] as string[], scripts: [] as string[] };
  for (const { path, entry, isSeparate } of walkFiles(root, unsaved)) {
    const list = listOf(entry.name, isSeparate);
    if (list !== undefined && isFileEntry(root, path, entry)) lists[list].push(path);
  }
  const { sources, ambient, scripts } = lists;
  return { sources: sources.toSorted(), ambient: ambient.toSorted(), scripts: scripts.toSorted() };
}

interface WalkedFile {
  readonly path: string;
  readonly entry: Entry;
  /** True in a directory below the root with a package.json that only sets the module system. */
  readonly isSeparate: boolean;
}

function* walkFiles(root: string, unsaved: Unsaved): Generator<WalkedFile> {
  const unsavedNames = unsavedByDirectory(unsaved);
  const waiting: PendingDirectory[] = [{ dir: "", depth: 0, isSeparate: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { dir, depth } = next;
    const entries = withUnsaved(entriesOf(join(root, dir)), unsavedNames.get(join(root, dir)));
    const hasManifest = dir !== "" && entries.some((entry) => entry.name === "package.json");
    if (hasManifest && !onlySetsModuleKind(join(root, dir), unsaved)) continue;
    const isSeparate = next.isSeparate || hasManifest;
    for (const entry of entries) {
      const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
      if (!entry.isDirectory()) yield { path, entry, isSeparate };
      else if (depth < maxDepth && !isPrivateDirectory(entry.name))
        waiting.push({ dir: path, depth: depth + 1, isSeparate });
    }
  }
}

/** Returns the list that a file belongs to; undefined if there is none. A separate directory has only scripts. */
function listOf(name: string, isSeparate: boolean): keyof FileList | undefined {
  if (isSourceName(name)) return isSeparate ? "scripts" : "sources";
  if (isAmbientName(name)) return isSeparate ? undefined : "ambient";
  return isScriptName(name) ? "scripts" : undefined;
}

interface PendingDirectory extends Pick<WalkedFile, "isSeparate"> {
  readonly dir: string;
  readonly depth: number;
}

/** Groups unsaved file names by directory. A file in a missing directory is included once it is saved. */
function unsavedByDirectory(unsaved: Unsaved): ReadonlyMap<string, readonly string[]> {
  const byDirectory = new Map<string, string[]>();
  for (const path of unsaved.keys()) {
    const names = byDirectory.get(dirname(path));
    if (names) names.push(basename(path));
    else byDirectory.set(dirname(path), [basename(path)]);
  }
  return byDirectory;
}

function withUnsaved(entries: readonly Dirent[], names: readonly string[] = []): readonly Entry[] {
  const missing = names.filter((name) => entries.every((entry) => entry.name !== name));
  const file = { isDirectory: () => false, isFile: () => true, isSymbolicLink: () => false };
  return [...entries, ...missing.map((name) => ({ name, ...file }))];
}

/**
 * Returns the text of a file with its byte order mark, or the reason it cannot be read; undefined without such a file.
 */
export function readSource(
  file: string,
  unsaved: Unsaved,
): { readonly text: string } | { readonly why: string } | undefined {
  const unsavedText = unsaved.get(file);
  if (unsavedText !== undefined) return { text: unsavedText };
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return undefined;
    if (stat.size > largestFile)
      return { why: `this file is too large to analyze: it has more than ${largestFile} bytes` };
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

/** Lists a directory; empty if it cannot be read. */
export function entriesOf(dir: string): readonly Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The keys of a package.json that only sets the module system of its directory. */
const moduleKindKeys: ReadonlySet<string> = new Set(["type", "private", "sideEffects"]);

function onlySetsModuleKind(dir: string, unsaved: Unsaved): boolean {
  const read = readSource(join(dir, "package.json"), unsaved);
  try {
    const manifest: unknown = JSON.parse(read !== undefined && "text" in read ? read.text : "");
    const keys = typeof manifest === "object" && manifest !== null ? Object.keys(manifest) : [];
    return keys.length > 0 && keys.every((key) => moduleKindKeys.has(key));
  } catch {
    return false;
  }
}

/** True for directories that contain no code of the application. */
export function isPrivateDirectory(name: string): boolean {
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

/** True for a file or a symbolic link to one. Links to directories are ignored, because they may form cycles. */
function isFileEntry(root: string, path: string, entry: Entry): boolean {
  return entry.isFile() || (entry.isSymbolicLink() && isFile(join(root, path)));
}

/** Returns the directory of an application's file; "" for its root. */
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
