import { existsSync } from "node:fs";
import { join } from "node:path";
import { ignoredDirectory, ignoredFile } from "./ignore.ts";
import { same, stat, Tree } from "./tree.ts";

export interface Change {
  /** Absolute. */
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
}

export interface Watcher {
  close(): void;
}

/** Quiet time after which a save counts as complete. */
const settle = 2;
/** The same after many files moved at once: a checkout, a formatter. */
const settleMany = 40;
/** A file that an editor has just truncated is about to be written, on a busy machine some time later. */
const settleEmpty = 250;
/** Longest wait for a burst to end. */
const settleAtMost = 500;
/** Longest wait for git to finish what it does to the work tree. */
const gitPatience = 3_000;

/** Reports what changed below `root`, one call a burst. */
export function watchFiles(
  root: string,
  changed: (changes: Change[]) => void,
  failed: (error: Error) => void,
): Watcher {
  const tree = new Tree({ touched: (path) => touch(path), failed });
  const gitLock = join(root, ".git", "index.lock");
  let touched = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let since = 0;
  let heldByGit = false;
  tree.add(root);

  function touch(path: string): void {
    if (touched.size === 0) since = performance.now();
    touched.add(path);
    if (performance.now() - since < settleAtMost) arm(touched.size > 3 ? settleMany : settle);
  }

  function arm(delay: number): void {
    clearTimeout(timer);
    timer = setTimeout(flush, delay);
  }

  function flush(): void {
    const waited = performance.now() - since;
    const held = heldByGit;
    heldByGit = waited < gitPatience && existsSync(gitLock);
    // What git did last is still on its way here when its lock is gone.
    if (held || heldByGit) return arm(heldByGit ? settle : settleMany);
    if (waited < settleEmpty && [...touched].some(justTruncated)) return arm(settle);
    const paths = touched;
    touched = new Set();
    const changes = new Map<string, Change>();
    for (const path of paths) for (const change of look(path)) changes.set(change.path, change);
    if (changes.size > 0) changed([...changes.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)));
  }

  function justTruncated(path: string): boolean {
    const known = tree.files.get(path);
    return known !== undefined && known.size > 0 && stat(path)?.size === 0;
  }

  function look(path: string): Change[] {
    const stats = stat(path);
    if (stats?.isDirectory()) return ignoredDirectory(path) && path !== root ? [] : lookAtDirectory(path);
    const gone = tree.has(path) ? deleted(tree.remove(path).keys()) : [];
    return ignoredFile(path) ? gone : [...gone, ...lookAtFile(path)];
  }

  function lookAtFile(path: string): Change[] {
    const known = tree.files.has(path);
    if (!tree.refresh(path)) return [];
    if (!tree.files.has(path)) return deleted([path]);
    return [{ path, kind: known ? "changed" : "created" }];
  }

  /** A directory that appeared, or another one in the place of one that was there. */
  function lookAtDirectory(path: string): Change[] {
    if (path === root) return [];
    const before = tree.remove(path);
    const now = tree.add(path);
    const gone = [...before.keys()].filter((file) => !tree.files.has(file));
    const fresh = now.filter((file) => !same(before.get(file), tree.files.get(file)));
    return [
      ...deleted(gone),
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
