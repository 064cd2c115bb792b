import { spawnSync } from "node:child_process";
import { existsSync, statSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve, dirname, relative } from "node:path";
import { readSchema, recordedSchema, type RecordedSchema } from "../../evolution/recorded.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";

/**
 * Returns the schema of another version: recorded in a build or a data directory, or read from an application's source
 * in a directory or at a git ref.
 */
export async function recordedVersion(root: string, against: string, io: IO): Promise<RecordedSchema> {
  const directory = resolve(io.cwd, against);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return withCheckout(root, against, (source) => schemaOf(source, io));
  const schema = readSchema(directory) ?? readSchema(join(directory, "services"));
  if (schema !== undefined) return schema;
  if (existsSync(join(directory, "package.json"))) return schemaOf(directory, io);
  throw new Refusal(
    `${against} has no recorded schema: name a build ("fw build" makes .fw/build), a data directory of "fw serve" or "fw dev", a project, or a git ref`,
  );
}

/** Reads the schema of an application's source, without reporting the source's problems. */
async function schemaOf(root: string, io: IO): Promise<RecordedSchema> {
  const { Workspace } = await import("../../workspace/workspace.ts");
  const workspace = new Workspace({ root, env: io.env });
  try {
    const { app } = await workspace.read({ types: false });
    return recordedSchema(app);
  } finally {
    workspace.close();
  }
}

/**
 * Calls `work` with a temporary copy of the application at a git ref. Leaves the working tree and its index unchanged.
 */
async function withCheckout<T>(root: string, ref: string, work: (source: string) => Promise<T>): Promise<T> {
  const git = gitIn(root);
  const commit = git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  if (commit === undefined)
    throw new Refusal(
      `${JSON.stringify(ref)} is neither a directory nor a commit, branch or tag of a git repository here`,
    );
  const top = realpathSync(git(["rev-parse", "--show-toplevel"]) ?? root);
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "fw-against-")));
  try {
    const tree = join(directory, "tree");
    if (!writeTree(top, commit, directory, tree))
      throw new Refusal(`git could not write ${JSON.stringify(ref)} into ${directory}`);
    const source = join(tree, relative(top, realpathSync(root)));
    if (!existsSync(join(source, "package.json")))
      throw new Refusal(`${JSON.stringify(ref)} has no application in ${relative(top, root) || "its root"}`);
    linkPackages(realpathSync(root), top, tree);
    return await work(source);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Writes the files of a commit into `tree`. Uses a separate index, so that the repository's index does not change.
 * Returns false if git fails.
 */
function writeTree(top: string, commit: string, directory: string, tree: string): boolean {
  const git = gitIn(top, { ...process.env, GIT_INDEX_FILE: join(directory, "index") });
  return (
    git(["read-tree", commit]) !== undefined && git(["checkout-index", "--all", `--prefix=${tree}/`]) !== undefined
  );
}

/**
 * Returns a function that runs git in `cwd` and returns its output without trailing whitespace; undefined if git fails.
 */
function gitIn(cwd: string, env: NodeJS.ProcessEnv = process.env) {
  return (args: readonly string[]): string | undefined => {
    const ran = spawnSync("git", args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 26 });
    return ran.status === 0 ? ran.stdout.trimEnd() : undefined;
  };
}

/** Links the installed `node_modules` directories into `tree`, because a checkout has no installed packages. */
function linkPackages(root: string, top: string, tree: string): void {
  for (let directory = root; ; directory = dirname(directory)) {
    const packages = join(directory, "node_modules");
    const place = join(tree, relative(top, directory), "node_modules");
    if (existsSync(packages) && !existsSync(place)) symlinkSync(packages, place, "junction");
    if (directory === top || directory === dirname(directory)) return;
  }
}
