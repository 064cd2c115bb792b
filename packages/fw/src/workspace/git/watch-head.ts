import { watch } from "node:fs";
import { GitRepository } from "./repository.ts";

/** Calls `onMove` when git may have checked out another branch. Returns a function that stops watching. */
export function watchHead(root: string, onMove: () => void): () => void {
  const git = GitRepository.of(root);
  if (git === undefined) return () => {};
  try {
    // Watches the directory, because git replaces the file.
    const watcher = watch(git.directory, (_event, file) => {
      if (file === null || file === "HEAD" || file.startsWith("rebase-")) onMove();
    });
    watcher.on("error", () => watcher.close()).unref();
    return () => watcher.close();
  } catch {
    // Without a watcher, fw notices the checkout at the next save.
    return () => {};
  }
}
