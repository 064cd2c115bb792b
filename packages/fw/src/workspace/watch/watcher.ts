import { existsSync } from "node:fs";
import { join } from "node:path";
import { ignoredDirectory, ignoredFile } from "./ignore.ts";
import { same, stat, DirectoryTree } from "./tree.ts";

export interface Change {
  /** Absolute. */
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
}

export interface Watcher {
  close(): void;
}

/** Milliseconds without changes after which a burst is complete. */
const settle = 2;
/** Like `settle`, after many files changed at once, for example by a checkout or a formatter. */
const settleMany = 40;
/** Like `settle`, for an empty file: an editor on a busy machine may write a file some time after truncating it. */
const settleEmpty = 250;
const settleAtMost = 500;
/** The longest wait for git to finish its changes of the work tree. */
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
