import { readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { join, posix } from "node:path";

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
  /** JavaScript, and TypeScript of CommonJS: what is declared there is not read. */
  readonly scripts: readonly string[];
}

/**
 * Lists the files of an application. Not among them: what tools make (`node_modules`, `dist`, dot directories), and
 * directories with their own package.json.
 */
export function listFiles(root: string): FileList {
  const sources: string[] = [];
  const ambient: string[] = [];
  const scripts: string[] = [];
  const waiting: { readonly dir: string; readonly depth: number }[] = [{ dir: "", depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { dir, depth } = next;
    const entries = entriesOf(join(root, dir));
    if (dir !== "" && entries.some((entry) => entry.name === "package.json")) continue;
    for (const entry of entries) {
      const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
      if (entry.isDirectory()) {
        if (depth < deepest && !isPrivateDirectory(entry.name)) waiting.push({ dir: path, depth: depth + 1 });
      } else if (isSourceName(entry.name)) {
        if (isFileEntry(root, path, entry)) sources.push(path);
      } else if (isAmbientName(entry.name)) {
        if (isFileEntry(root, path, entry)) ambient.push(path);
      } else if (isScriptName(entry.name) && isFileEntry(root, path, entry)) scripts.push(path);
    }
  }
  return { sources: sources.toSorted(), ambient: ambient.toSorted(), scripts: scripts.toSorted() };
}

/** Text of a file, or why there is none; undefined when it does not exist. A byte order mark stays. */
export function readSource(file: string): { readonly text: string } | { readonly why: string } | undefined {
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
function isFileEntry(root: string, path: string, entry: Dirent): boolean {
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
