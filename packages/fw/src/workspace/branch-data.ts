import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readJSON } from "../lib/read-file.ts";
import { relativePath } from "../lib/relative-path.ts";
import { GitRepository } from "./git/repository.ts";

/** The data that an application on this machine uses. */
export interface DataLocation {
  /** Absolute. */
  readonly directory: string;
  /**
   * The branch that the data belongs to, or the commit of a detached HEAD; absent for the main branch and for data that
   * all branches share.
   */
  readonly owner?: string;
  /** The absolute path of the data to copy if `directory` has none yet. */
  readonly copyOf?: string;
}

/** Finds the data to open now; the result changes when another branch is checked out. */
export type LocateData = () => DataLocation;

/** The data of a branch other than the main one. */
export interface BranchData {
  readonly owner: string;
  /** Absolute. */
  readonly directory: string;
  /** True if the branch no longer exists, or HEAD is no longer detached at the commit. */
  readonly isOrphaned: boolean;
}

/** The longest directory name for a branch; file systems allow 255 bytes. */
const maxDirectoryName = 200;

/**
 * Finds the data of the checked-out branch. A new branch starts with a copy of its origin's data. Branches share one
 * directory if package.json says `"fw": { "dataPerBranch": false }`, outside of git repositories, without a known main
 * branch, and once `fw serve` has used the directory, because a server must find its data whatever is checked out.
 */
export function locateData(root: string): DataLocation {
  const common = { directory: mainData(root) };
  const git =
    isPerBranch(root) && !existsSync(servicesDirectory(common.directory)) ? GitRepository.of(root) : undefined;
  const owner = git?.branch ?? git?.detachedAt;
  if (git === undefined || owner === undefined) return common;
  const main = git.mainBranch;
  if (owner === (main ?? owner)) return common;
  const directory = join(branchesDirectory(root), git.branch === undefined ? commitName(owner) : branchName(owner));
  if (hasData(directory)) return { directory, owner };
  const copyOf = originData(root, git, main);
  return { directory, owner, ...(hasData(copyOf) && { copyOf }) };
}

/**
 * Describes which branch or commit the data belongs to; undefined for the main branch and for data that all branches
 * share.
 */
export function describeLocation(root: string, { directory, owner, copyOf }: DataLocation): string | undefined {
  if (owner === undefined) return undefined;
  const whose = isCommit(owner) ? `commit ${owner.slice(0, 12)}` : `the branch ${owner}`;
  const start = copyOf === undefined ? "" : `, a copy of ${relativePath(root, copyOf)}`;
  return `the data is that of ${whose}, in ${relativePath(root, directory)}${start}`;
}

/** The message that the main branch's data is in use again. */
export const mainDataSentence = "the data is that of the main branch, in .fw/data";

/** Lists the data of all branches except the main one, and of commits checked out without a branch, by name. */
export function branchData(root: string): readonly BranchData[] {
  const git = GitRepository.of(root);
  const branches = branchesDirectory(root);
  if (!existsSync(branches)) return [];
  return readdirSync(branches)
    .filter((name) => hasData(join(branches, name)))
    .toSorted()
    .map((name) => {
      const owner = ownerOf(name);
      const isOrphaned = name.startsWith("@")
        ? git?.detachedAt === undefined || commitName(git.detachedAt) !== name
        : git?.branches.some((branch) => branchName(branch) === name) !== true;
      return { owner, directory: join(branches, name), isOrphaned };
    });
}

/** Returns the directory for the code of `fw serve`'s services inside a data directory. */
export function servicesDirectory(data: string): string {
  return join(data, "services");
}

/** Returns the data directory of the main branch, which `fw serve` and branches without their own data also use. */
export function mainData(root: string): string {
  return join(root, ".fw", "data");
}

function branchesDirectory(root: string): string {
  return join(root, ".fw", "branches");
}

function isPerBranch(root: string): boolean {
  const manifest = readJSON(join(root, "package.json")) as {
    readonly fw?: { readonly dataPerBranch?: unknown };
  } | null;
  return manifest?.fw?.dataPerBranch !== false;
}

/**
 * Returns the data directory for a new branch to copy: from the nearest ancestor branch with data, or else from the
 * main branch.
 */
function originData(root: string, git: GitRepository, main: string | undefined): string {
  const visited = new Set<string>();
  let origin = git.branch === undefined ? git.detachedFrom : git.originOf(git.branch);
  for (; origin !== undefined && origin !== main && !visited.has(origin); origin = git.originOf(origin)) {
    visited.add(origin);
    const directory = join(branchesDirectory(root), branchName(origin));
    if (hasData(directory)) return directory;
  }
  return mainData(root);
}

function hasData(directory: string): boolean {
  return existsSync(join(directory, "store"));
}

/** Encodes a branch's name, which may contain slashes, as the name of a single directory. */
function branchName(branch: string): string {
  const name = encodeURIComponent(branch).replace(/[*~'()!]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  if (name.length <= maxDirectoryName) return name;
  const hash = createHash("sha256").update(branch).digest("hex").slice(0, 16);
  return `${name.slice(0, maxDirectoryName - hash.length - 1)}~${hash}`;
}

function commitName(commit: string): string {
  return `@${commit.slice(0, 12)}`;
}

function ownerOf(directoryName: string): string {
  return directoryName.startsWith("@") ? directoryName : decodeName(directoryName);
}

/** Decodes a directory name to a branch. Returns it unchanged if it was truncated inside an escape sequence. */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function isCommit(owner: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(owner);
}
