import { resolvedFrom } from "../../lib/resolved-from.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { wantsColour } from "../print/colour.ts";
import { stoppable } from "../stop.ts";
import { testedApplication, type TestedApplication, type Wiring } from "./wiring.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isPrivateDirectory } from "../../analysis/source/files.ts";
import { nodeTestHooks, nodeTestReporter } from "../../lib/own-modules.ts";
import { Saves } from "../../workspace/saves.ts";
import { writeGenerated } from "../../workspace/write-generated.ts";
import { wiringVariable } from "./node/wiring-variable.ts";
import { fw } from "./vitest.ts";

/** Runs an application's tests with its own Vitest, or with Node. Runs nothing while the application has problems. */
export async function runTests(options: Omit<TestRun, "root">, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  const application = testedApplication(root, io.env);
  io.progress.step("checking the application");
  try {
    const { refusal, declares } = await stoppable(
      io,
      () => application.wiring(),
      () => application.close(),
    );
    io.progress.end();
    if (refusal !== undefined) {
      io.out.write(refusal.text(wantsColour(io.out, io.env)));
      io.err.write(`fw: ${refusal.sentence}\n`);
      return 1;
    }
    if (!declares) throw nothingDeclared(root);
    const vitest = resolvedFrom(root, "vitest/node");
    const run = { ...options, root };
    return vitest === undefined ? await runNode(application, run, io) : await runVitest(vitest, run, io);
  } finally {
    application.close();
  }
}

const testName = /\.(?:test|spec)\.(?:ts|mts|tsx|js|mjs)$/;

async function runNode(application: TestedApplication, run: TestRun, io: IO): Promise<ExitCode> {
  const first = await runOnce(application, run, io);
  if (!run.watch) return first.exited;
  await follow(application, run, io, first);
  return 0;
}

interface Running {
  readonly exited: Promise<ExitCode>;
  end(): void;
}

async function runOnce(application: TestedApplication, { root, filters }: TestRun, io: IO): Promise<Running> {
  const tests = findTests(root, filters);
  if (tests.length === 0) {
    const which =
      filters.length === 0 ? "" : ` with ${filters.map((filter) => `"${filter}"`).join(" or ")} in its path`;
    io.err.write(`fw: no test file (*.test.ts, *.spec.ts)${which} below ${root}\n`);
    return { exited: Promise.resolve(1), end: () => {} };
  }
  const child = startNode(root, writeWiring(root, await application.wiring()), tests, io);
  const stopped = io.onStop(() => child.kill("SIGTERM"));
  return { exited: exitOf(child).finally(stopped), end: () => child.kill("SIGTERM") };
}

function startNode(root: string, wiring: string, tests: readonly string[], io: IO): ChildProcess {
  const register = pathToFileURL(nodeTestHooks).href;
  return spawn(
    process.execPath,
    [
      "--enable-source-maps",
      "--import",
      register,
      "--test",
      `--test-reporter=${pathToFileURL(nodeTestReporter).href}`,
      ...tests,
    ],
    {
      cwd: root,
      env: { ...io.env, NODE_ENV: io.env["NODE_ENV"] ?? "test", [wiringVariable]: wiring },
      stdio: ["inherit", "inherit", "inherit"],
    },
  );
}

async function exitOf(child: ChildProcess): Promise<ExitCode> {
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0 ? 0 : 1;
}

/** Writes the generated modules for the test processes and returns the path. */
function writeWiring(root: string, { files, exposed, loadOrder }: Wiring): string {
  const path = join(root, ".fw", "gen", "test", "wiring.json");
  writeGenerated(path, JSON.stringify({ root, files, exposed, loadOrder }));
  return path;
}

/** Runs the tests again after every change, until the user stops. */
async function follow(application: TestedApplication, run: TestRun, io: IO, first: Running): Promise<void> {
  let running: Running | undefined = first;
  let stopped = false;
  const saves = new Saves(
    async (changes) => {
      if (stopped) return;
      application.changed(changes);
      running?.end();
      await running?.exited;
      running = undefined;
      const { refusal } = await application.wiring();
      if (saves.isOvertaken()) return;
      if (refusal === undefined) running = await runOnce(application, run, io);
      else io.err.write(`${refusal.text(wantsColour(io.err, io.env))}\nfw: ${refusal.sentence}\n`);
    },
    (error) => io.err.write(`fw: ${String(error)}\n`),
  );
  application.watch({
    changed: (changes) => saves.add(changes),
    failed: (why) => io.err.write(`fw: ${why}\n`),
  });
  await new Promise<void>((resolve) => io.onStop(resolve));
  stopped = true;
  await saves.runExclusively(async () => {
    running?.end();
    await running?.exited;
  });
}

/** Returns the sorted absolute paths of all test files, or of the test files that match a filter. */
function findTests(root: string, filters: readonly string[]): string[] {
  const all = testsBelow(root, "").toSorted();
  const matching = filters.length === 0 ? all : all.filter((path) => filters.some((filter) => path.includes(filter)));
  return matching.map((path) => join(root, path));
}

/**
 * Returns the test files below a directory. Skips a directory with its own package.json, which is a separate
 * application.
 */
function testsBelow(root: string, dir: string): string[] {
  const here = join(root, dir);
  if (dir !== "" && existsSync(join(here, "package.json"))) return [];
  return readdirSync(here, { withFileTypes: true }).flatMap((entry) => {
    const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
    if (entry.isDirectory()) return isPrivateDirectory(entry.name) ? [] : testsBelow(root, path);
    return testName.test(entry.name) ? [path] : [];
  });
}

interface VitestNode {
  readonly startVitest: (mode: "test", filters: readonly string[], options: object, vite: object) => Promise<Vitest>;
}

interface Vitest {
  close(): Promise<void>;
}

interface TestRun {
  readonly root: string;
  readonly filters: readonly string[];
  readonly watch: boolean;
}

/**
 * Disables Vitest's search for a configuration in parent directories if the application has none: theirs are for other
 * tests.
 */
function configOf(root: string): { readonly config?: false } {
  const extensions = ["ts", "mts", "cts", "js", "mjs", "cjs"];
  const names = ["vitest", "vite"].flatMap((name) => extensions.map((extension) => `${name}.config.${extension}`));
  return names.some((name) => existsSync(join(root, name))) ? {} : { config: false };
}

/** Runs tests with the application's Vitest, its configuration and the plugin. */
async function runVitest(vitest: string, { root, filters, watch }: TestRun, io: IO): Promise<ExitCode> {
  const { startVitest } = (await import(vitest)) as VitestNode;
  const running = await startVitest(
    "test",
    filters,
    { root, watch, run: !watch, ...configOf(root) },
    { plugins: [fw()] },
  );
  if (watch) await new Promise<void>((resolve) => io.onStop(resolve));
  await running.close();
  // Vitest sets the exit code for every kind of failure: a test, a file, or an unhandled rejection.
  return process.exitCode === undefined || process.exitCode === 0 ? 0 : 1;
}
