import { existsSync, readdirSync, statSync, watch, type FSWatcher, type Stats } from "node:fs";
import { join, sep } from "node:path";
import { ignoredDirectory, ignoredFile } from "./ignore.ts";

export interface Change {
  /** Absolute. */
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
}

export interface Watcher {
  close(): void;
}

/** The debounce in milliseconds: a burst is complete after this time without changes. */
const settle = 2;
/** The debounce when many files change at once, for example during a checkout or by a formatter. */
const settleMany = 40;
/** The debounce for an empty file: an editor on a busy machine may write a file some time after truncating it. */
const settleEmpty = 250;
const settleAtMost = 500;
/** The maximum wait for git to finish updating the working tree, in milliseconds. */
const gitPatience = 3_000;

/** Reports changes below `root`, with one call for each burst. */
export function watchFiles(
  root: string,
  changed: (changes: Change[]) => void,
  failed: (error: Error) => void,
): Watcher {
  const tree = new DirectoryTree({ pathChanged: (path) => touch(path), failed });
  const gitLock = join(root, ".git", "index.lock");
  let changedPaths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let isGitBusy = false;
  tree.add(root);

  function touch(path: string): void {
    if (changedPaths.size === 0) since = performance.now();
    changedPaths.add(path);
    if (performance.now() - since < settleAtMost) arm(changedPaths.size > 3 ? settleMany : settle);
  }

  function arm(delay: number): void {
    clearTimeout(timer);
    timer = setTimeout(flush, delay);
  }

  function flush(): void {
    const waitedMs = performance.now() - since;
    const wasGitBusy = isGitBusy;
    isGitBusy = waitedMs < gitPatience && existsSync(gitLock);
    // Events for git's last changes arrive after it has deleted its lock.
    if (wasGitBusy || isGitBusy) return arm(isGitBusy ? settle : settleMany);
    if (waitedMs < settleEmpty && [...changedPaths].some(justTruncated)) return arm(settle);
    const paths = changedPaths;
    changedPaths = new Set();
    const changes = new Map<string, Change>();
    for (const path of paths) for (const change of look(path)) changes.set(change.path, change);
    if (changes.size > 0) changed([...changes.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  }

  function justTruncated(path: string): boolean {
    const previous = tree.files.get(path);
    return previous !== undefined && previous.size > 0 && stat(path)?.size === 0;
  }

  function look(path: string): Change[] {
    const stats = stat(path);
    if (stats?.isDirectory()) return ignoredDirectory(path) && path !== root ? [] : lookAtDirectory(path);
    const deletedFiles = tree.has(path) ? deleted(tree.remove(path).keys()) : [];
    return ignoredFile(path) ? deletedFiles : [...deletedFiles, ...lookAtFile(path)];
  }

  function lookAtFile(path: string): Change[] {
    const existed = tree.files.has(path);
    if (!tree.refresh(path)) return [];
    if (!tree.files.has(path)) return deleted([path]);
    return [{ path, kind: existed ? "changed" : "created" }];
  }

  /** Handles a directory that is new or has replaced another one. */
  function lookAtDirectory(path: string): Change[] {
    if (path === root) return [];
    const before = tree.remove(path);
    const now = tree.add(path);
    const deletedFiles = [...before.keys()].filter((file) => !tree.files.has(file));
    const fresh = now.filter((file) => !same(before.get(file), tree.files.get(file)));
    return [
      ...deleted(deletedFiles),
      ...fresh.map((file): Change => ({ path: file, kind: before.has(file) ? "changed" : "created" })),
    ];
  }

  return {
    close: () => {
      clearTimeout(timer);
      tree.close();
    },
  };
}

function deleted(paths: Iterable<string>): Change[] {
  return [...paths].map((path) => ({ path, kind: "deleted" }));
}

/** File metadata that changes with the file. */
interface FileStamp {
  readonly modified: number;
  readonly size: number;
  readonly inode: number;
}

interface TreeEvents {
  readonly pathChanged: (path: string) => void;
  readonly failed: (error: Error) => void;
}

/**
 * Watches each directory separately: Linux has no recursive watch, and on other systems changes in dependencies would
 * wake a recursive one.
 */
class DirectoryTree {
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

  /** Reads the state of a file again; returns true if it has changed. */
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

function stat(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function same(a: FileStamp | undefined, b: FileStamp | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.modified === b.modified && a.size === b.size && a.inode === b.inode;
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "EPERM" || code === "ENOTDIR";
}
