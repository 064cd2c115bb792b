import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeApp } from "../analysis/testing/app.ts";
import { openLocal } from "../platform/local/open.ts";
import { describeLocation, locateData } from "../workspace/branch-data.ts";
import { fw } from "./testing/run.ts";

const source = `-- package.json --
{ "name": "shop", "type": "module" }
-- .gitignore --
.fw/
-- shop/shop.ts --
import { Entity } from "fw";
import type { ID, Int } from "fw";
export interface Order { id: ID; total: Int }
export const orders = Entity<Order>("orders");
`;

const definitions = { kinds: [{ kind: "orders", properties: [], composites: [] }] };

const author = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", PATH: process.env["PATH"] };

interface Repository {
  readonly root: string;
  readonly git: (...args: string[]) => void;
}

/** Creates the application in a git repository with one commit on `main`. */
async function repository(files = source): Promise<Repository> {
  const app = await writeApp(files);
  onTestFinished(() => app[Symbol.asyncDispose]());
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: app.root,
      env: author,
      stdio: "pipe",
    });
  git("init", "--quiet", "--initial-branch", "main");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  return { root: app.root, git };
}

/** Returns the data directory and the directory to copy, relative to the application's `.fw`. */
function located(root: string): readonly (string | undefined)[] {
  const { directory, copyOf } = locateData(root);
  return [directory, copyOf].map((path) => path?.slice(join(root, ".fw/").length));
}

async function store(root: string, id: string): Promise<void> {
  const { directory } = locateData(root);
  const platform = await openLocal(directory, definitions);
  await platform.entities.upsert({ kind: "orders", id }, { id, total: 1 });
  await platform.close();
}

async function count(root: string): Promise<string> {
  return (await fw(root, "check-data")).out;
}

test("a new branch starts with a copy of the data of the branch it was created from, and changes only its own", async () => {
  const { root, git } = await repository();
  await store(root, "a");
  expect(located(root)).toEqual(["data", undefined]);

  git("switch", "--quiet", "--create", "feature/total");
  expect(located(root)).toEqual(["branches/feature%2Ftotal", "data"]);
  expect(await count(root)).toContain("1 document,");
  expect(located(root)).toEqual(["branches/feature%2Ftotal", undefined]);
  await store(root, "b");

  git("switch", "--quiet", "--create", "second");
  expect(located(root)).toEqual(["branches/second", "branches/feature%2Ftotal"]);
  git("branch", "--quiet", "third", "main");
  git("switch", "--quiet", "third");
  expect(located(root)).toEqual(["branches/third", "data"]);
  git("branch", "--quiet", "--move", "feature/total", "renamed");
  git("switch", "--quiet", "renamed");
  expect(located(root)).toEqual(["branches/renamed", "branches/feature%2Ftotal"]);

  git("switch", "--quiet", "main");
  expect(await count(root)).toContain("1 document,");
});

test("the data of a branch that is in use is not copied, so that a copy never has half of a write", async () => {
  const { root, git } = await repository();
  const platform = await openLocal(locateData(root).directory, definitions);
  git("switch", "--quiet", "--create", "other");
  expect(await fw(root, "check-data")).toMatchObject({ code: 2, err: expect.stringContaining("stop it first") });
  await platform.close();
  expect(await fw(root, "check-data")).toMatchObject({ code: 0 });
});

test("a rebase uses the data of its branch, and a detached HEAD a copy that belongs to the commit", async () => {
  const { root, git } = await repository();
  await store(root, "a");
  git("switch", "--quiet", "--create", "topic");
  await store(root, "b");
  git("switch", "--quiet", "--detach", "main");
  expect(located(root)).toEqual([expect.stringMatching(/^branches\/@[0-9a-f]{12}$/), "branches/topic"]);
  expect(describeLocation(root, locateData(root))).toMatch(
    /^the data is that of commit [0-9a-f]{12}, in \.fw\/branches\/@[0-9a-f]{12}, a copy of \.fw\/branches\/topic$/,
  );
  const rebase = join(root, ".git/rebase-merge");
  mkdirSync(rebase);
  writeFileSync(join(rebase, "head-name"), "refs/heads/topic\n");
  expect(located(root)).toEqual(["branches/topic", undefined]);
});

test("a linked worktree has its own data, and an application below the root of its repository one for each branch", async () => {
  const { root, git } = await repository();
  const worktree = `${root}-worktree`;
  git("worktree", "add", "--quiet", "-b", "tree", worktree);
  onTestFinished(() => git("worktree", "remove", "--force", worktree));
  expect(located(worktree)).toEqual(["branches/tree", undefined]);
  mkdirSync(join(root, "apps/one"), { recursive: true });
  git("switch", "--quiet", "--create", "x");
  expect(located(join(root, "apps/one"))).toEqual(["branches/x", undefined]);
});

test.each([
  [
    "without git",
    async (): Promise<string> => {
      const app = await writeApp(source);
      onTestFinished(() => app[Symbol.asyncDispose]());
      return app.root;
    },
  ],
  [
    "if package.json says so",
    async (): Promise<string> => {
      const { root, git } = await repository(source.replace(`"type"`, `"fw": { "dataPerBranch": false }, "type"`));
      git("switch", "--quiet", "--create", "x");
      return root;
    },
  ],
  [
    "if fw serve has used it",
    async (): Promise<string> => {
      const { root, git } = await repository();
      mkdirSync(join(root, ".fw/data/services"), { recursive: true });
      git("switch", "--quiet", "--detach");
      return root;
    },
  ],
])("all code shares the data in .fw/data %s", async (_when, make) => {
  expect(located(await make())).toEqual(["data", undefined]);
});

test("fw data branches lists the data of branches, and deletes that of branches that are gone when asked", async () => {
  const { root, git } = await repository();
  const list = async (...args: string[]): Promise<readonly string[]> =>
    (await fw(root, "data", "branches", ...args)).out
      .replaceAll(/[\d.]+ MB/g, "… MB")
      .split("\n")
      .slice(0, -1);
  expect(await list()).toEqual(["no branch has data of its own"]);
  for (const branch of ["done", "open/one"]) {
    git("switch", "--quiet", "--create", branch);
    await store(root, branch);
  }
  git("branch", "--quiet", "--delete", "done");
  expect(await list("--prune")).toEqual([
    "done  .fw/branches/done  … MB  deleted",
    "open/one  .fw/branches/open%2Fone  … MB  in use",
  ]);
  expect(await list()).toEqual(["open/one  .fw/branches/open%2Fone  … MB  in use"]);
});
