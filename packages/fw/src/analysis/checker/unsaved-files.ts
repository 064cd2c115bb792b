import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FileSystem } from "typescript/unstable/fs";
import type { Unsaved } from "../../lib/unsaved.ts";

/** Creates a file system for TypeScript: unsaved files come from the editor, all others (`undefined`) from disk. */
export function unsavedFiles(unsaved: Unsaved): FileSystem {
  return {
    readFile: (path) => unsaved.get(path),
    fileExists: (path) => (unsaved.has(path) ? true : undefined),
    getAccessibleEntries: (dir) => {
      const unwritten = [...unsaved.keys()].filter((path) => dirname(path) === dir && !existsSync(path));
      if (unwritten.length === 0) return undefined;
      const { files, directories } = entriesOf(dir);
      return { files: [...files, ...unwritten.map((path) => basename(path))], directories };
    },
  };
}

function entriesOf(dir: string): { readonly files: string[]; readonly directories: string[] } {
  const files: string[] = [];
  const directories: string[] = [];
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const stat = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stat?.isFile()) files.push(name);
    if (stat?.isDirectory()) directories.push(name);
  }
  return { files, directories };
}

/** Answers TypeScript's request for a file; `null` means "read it from disk". */
export function answerOf(files: FileSystem, method: string, path: string): unknown {
  switch (method) {
    case "readFile": {
      const content = files.readFile?.(path);
      return content === undefined ? null : { content };
    }
    case "fileExists":
      return files.fileExists?.(path) ?? null;
    case "getAccessibleEntries":
      return files.getAccessibleEntries?.(path) ?? null;
    default:
      return null;
  }
}
