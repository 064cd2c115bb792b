import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { filesBelow } from "../../lib/read-file.ts";
import { relativePath } from "../../lib/relative-path.ts";
import { lockDirectory } from "../../platform/local/lock.ts";
import { branchData, locateData } from "../../workspace/branch-data.ts";
import { appRoot } from "../app-root.ts";
import type { IO } from "../io.ts";
import { refusalOf } from "./open.ts";

/**
 * Lists the data of branches; with `prune`, deletes the data of deleted branches unless it is in use. Returns the text
 * to print.
 */
export async function runBranches({ prune }: { readonly prune: true | undefined }, io: IO): Promise<string> {
  const root = appRoot(io.cwd);
  const currentDirectory = locateData(root).directory;
  const rows: string[] = [];
  for (const { owner, directory, isOrphaned } of branchData(root)) {
    const size = `${(sizeOf(directory) / 1_000_000).toFixed(1)} MB`;
    const isDeleted = prune === true && isOrphaned && directory !== currentDirectory;
    if (isDeleted) await deleteData(directory, root);
    const state = isDeleted
      ? "deleted"
      : directory === currentDirectory
        ? "in use"
        : isOrphaned
          ? "no such branch"
          : "";
    rows.push([owner, relativePath(root, directory), size, state].join("  ").trimEnd());
  }
  return rows.length === 0 ? "no branch has data of its own\n" : rows.map((row) => `${row}\n`).join("");
}

async function deleteData(directory: string, root: string): Promise<void> {
  try {
    const unlock = lockDirectory(directory);
    await rm(directory, { recursive: true }).finally(unlock);
  } catch (error) {
    throw refusalOf(error, root);
  }
}

function sizeOf(directory: string): number {
  return filesBelow(directory).reduce(
    (total, path) => total + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
