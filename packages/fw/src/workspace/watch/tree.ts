import { readdirSync, statSync, watch, type FSWatcher, type Stats } from "node:fs";
import { join, sep } from "node:path";
import { ignoredDirectory, ignoredFile } from "./ignore.ts";

/** Differs between two states of a file. */
export interface FileStamp {
  readonly modified: number;
  readonly size: number;
  readonly inode: number;
}

export interface TreeEvents {
  /** Something has changed at this path. */
  readonly pathChanged: (path: string) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Watches each directory separately: Linux has no recursive watch, and elsewhere changes in dependencies would wake a
 * recursive one.
 */
export class DirectoryTree {
  readonly files: Map<string, FileStamp> = new Map();
  readonly #watchers: Map<string, FSWatcher> = new Map();
  readonly #events: TreeEvents;

  constructor(events: TreeEvents) {
    this.#events = events;
  }

  /** Watches `directory` and everything below it. Adds its files to `files`, and returns them. */
  add(directory: string): string[] {
    if (this.#watchers.has(directory)) return [];
    const files: string[] = [];
    try {
      // Starts watching before reading, so that no file that is created in between is missed.
      this.#watchers.set(directory, this.#watch(directory));
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        const path = join(directory, entry.name);
        if (entry.isDirectory() && !ignoredDirectory(path)) files.push(...this.add(path));
        else if (entry.isFile() && !ignoredFile(path) && this.refresh(path)) files.push(path);
      }
    } catch (error) {
      if (!isGone(error)) this.#events.failed(error as Error);
    }
    return files;
  }

  /** Stops watching `directory` and everything below it. Returns the files that it contained. */
  remove(directory: string): Map<string, FileStamp> {
    const inside = directory + sep;
    for (const [path, watcher] of this.#watchers) {
      if (path !== directory && !path.startsWith(inside)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    const gone = new Map([...this.files].filter(([path]) => path.startsWith(inside)));
    for (const path of gone.keys()) this.files.delete(path);
    return gone;
  }

  has(directory: string): boolean {
    return this.#watchers.has(directory);
  }

  /** Reads the state of a file again; true if it has changed. */
  refresh(path: string): boolean {
    const stats = stat(path);
    const previous = this.files.get(path);
    if (!stats?.isFile()) return this.files.delete(path);
    const stamp = { modified: stats.mtimeMs, size: stats.size, inode: stats.ino };
    this.files.set(path, stamp);
    return !same(previous, stamp);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(directory: string): FSWatcher {
    const watcher = watch(directory, { persistent: true }, (_kind, name) => {
      this.#events.pathChanged(name === null ? directory : join(directory, name));
    });
    watcher.on("error", (error) => {
      if (!isGone(error)) this.#events.failed(error);
    });
    return watcher;
  }
}

export function stat(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

export function same(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.modified === b.modified && a.size === b.size && a.inode === b.inode;
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "EPERM" || code === "ENOTDIR";
}
