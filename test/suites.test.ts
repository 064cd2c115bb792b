import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Variables that do not switch on a suite, and their purpose. */
const others: Readonly<Record<string, string>> = {
  FW_ARGS: "what a program under test reads",
  FW_DASHBOARD_KEY: "what a program under test reads",
  FW_ENGLISH: "lists the matches of one folder, for a person",
  FW_FIRESTORE_EMULATOR: "another path of the emulator",
  FW_PAYLOADS: "another corpus for the same test",
  FW_PUBSUB_EMULATOR: "another path of the emulator",
  FW_REACHED: "the folder into which a run of mutants writes its probes",
  FW_TSC: "further compilers for the same test",
};

/** Variables that tests set for programs that they start. */
const setByTests = /^FW_TEST_/;

const commands = [".ci/run", ".ci/nightly"].map((path) => ({ path, text: read(path) }));

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

test("every environment variable that a test reads is set by a command of CI", () => {
  const read = variablesOf(testFiles());
  expect(read.size).toBeGreaterThan(15);
  const set = new Set(commands.flatMap(({ text }) => [...text.matchAll(/\b(FW_[A-Z_]+)=/g)].map(([, name]) => name)));
  const unset = [...read].filter((name) => !set.has(name) && !setByTests.test(name));
  expect(unset.toSorted()).toEqual(Object.keys(others));
  expect([...set].filter((name) => !read.has(name ?? ""))).toEqual([]);
});

test.each(commands)("$path names only tests that are there", ({ text }) => {
  const paths = [...text.matchAll(/(?<=\s)(?:test|packages)\/[\w./{},-]+/g)].flatMap(([path]) => expandBraces(path));
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => statSync(root + path, { throwIfNoEntry: false }) === undefined)).toEqual([]);
});

test.each([
  { file: "check.yml", events: ["push", "pull_request"], command: "bash .ci/run" },
  { file: "nightly.yml", events: ["schedule", "workflow_dispatch"], command: "bash .ci/nightly" },
])("the workflow $file starts `$command`", ({ file, events, command }) => {
  const workflow = parse(read(`.github/workflows/${file}`)) as Workflow;
  expect(Object.keys(workflow.on)).toEqual(events);
  const runs = Object.values(workflow.jobs).flatMap(({ steps }) => steps.map(({ run }) => run));
  expect(runs).toContain(command);
});

/** Returns the paths of tests, and of files that only tests import. */
function testFiles(): readonly string[] {
  const all = ["test", "packages/fw/src", "packages/fake-cloud/src"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  );
  return all.filter(
    (path) => /\.m?[jt]s$/.test(path) && (/^test\/|\.test\.ts$/.test(path) || path.includes("/testing/")),
  );
}

function variablesOf(paths: readonly string[]): ReadonlySet<string> {
  const reads = /\benv(?:\.|\[["'`])(FW_[A-Z_]+)/g;
  return new Set(paths.flatMap((path) => [...read(path).matchAll(reads)].map(([, name]) => name ?? "")));
}

/** Expands `a/{b,c}.ts` to `a/b.ts` and `a/c.ts`. */
function expandBraces(path: string): readonly string[] {
  const [, head = path, list, tail = ""] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return list === undefined ? [head] : list.split(",").map((each) => head + each + tail);
}

function read(path: string): string {
  return readFileSync(root + path, "utf8");
}
