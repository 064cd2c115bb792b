import { readdirSync, statSync, watch, type FSWatcher, type Stats } from "node:fs";
import { join, sep } from "node:path";
import { ignoredDirectory, ignoredFile } from "./ignore.ts";

/** What tells one state of a file from another. */
export interface Stamp {
  readonly modified: number;
  readonly size: number;
  readonly inode: number;
}

export interface TreeEvents {
  /** Something happened to this path; what, only a look at the disk tells. */
  readonly touched: (path: string) => void;
  readonly failed: (error: Error) => void;
}

/**
 * One system watch a directory: Linux has no recursive one, and elsewhere ours ignores dependencies without being
 * woken by them.
 */
export class Tree {
  readonly files: Map<string, Stamp> = new Map();
  readonly #watchers: Map<string, FSWatcher> = new Map();
  readonly #events: TreeEvents;

  constructor(events: TreeEvents) {
    this.#events = events;
  }

  /** Watches `directory` and everything below it. The files found are added to `files` and returned. */
  add(directory: string): string[] {
    if (this.#watchers.has(directory)) return [];
    const found: string[] = [];
    try {
      // Watching comes before reading, so that nothing made in between is missed.
      this.#watchers.set(directory, this.#watch(directory));
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        const path = join(directory, entry.name);
        if (entry.isDirectory() && !ignoredDirectory(path)) found.push(...this.add(path));
        else if (entry.isFile() && !ignoredFile(path) && this.refresh(path)) found.push(path);
      }
    } catch (error) {
      if (!isGone(error)) this.#events.failed(error as Error);
    }
    return found;
  }

  /** Forgets `directory` and everything below it. The files that were there are returned. */
  remove(directory: string): Map<string, Stamp> {
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

  /** Looks at one file again; true when it differs from what was known. */
  refresh(path: string): boolean {
    const stats = stat(path);
    const known = this.files.get(path);
    if (!stats?.isFile()) return this.files.delete(path);
    const stamp = { modified: stats.mtimeMs, size: stats.size, inode: stats.ino };
    this.files.set(path, stamp);
    return !same(known, stamp);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(directory: string): FSWatcher {
    const watcher = watch(directory, { persistent: true }, (_kind, name) => {
      this.#events.touched(name === null ? directory : join(directory, name));
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

export function same(a: Stamp | undefined, b: Stamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.modified === b.modified && a.size === b.size && a.inode === b.inode;
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "EPERM" || code === "ENOTDIR";
}
