import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { nodeTestHooks, nodeTestReporter } from "../../lib/own-modules.ts";
import { Saves } from "../../workspace/saves.ts";
import { writeGenerated } from "../../workspace/write-generated.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { wantsColour } from "../print/colour.ts";
import { wiringVariable } from "./node/wiring-variable.ts";
import type { TestRun } from "./run-vitest.ts";
import type { TestedApplication, Wiring } from "./wiring.ts";

const testName = /\.(?:test|spec)\.(?:ts|mts|tsx|js|mjs)$/;

/** Runs tests with `node --test`. */
export async function runNode(application: TestedApplication, run: TestRun, io: IO): Promise<ExitCode> {
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

/** Finds the application's test files, or those whose paths contain a filter; absolute and sorted. */
function findTests(root: string, filters: readonly string[]): string[] {
  const all = testsBelow(root, "").toSorted();
  const matching = filters.length === 0 ? all : all.filter((path) => filters.some((filter) => path.includes(filter)));
  return matching.map((path) => join(root, path));
}

/** Skips a directory with its own package.json, which is a separate application. */
function testsBelow(root: string, dir: string): string[] {
  const here = join(root, dir);
  if (dir !== "" && existsSync(join(here, "package.json"))) return [];
  return readdirSync(here, { withFileTypes: true }).flatMap((entry) => {
    const path = dir === "" ? entry.name : `${dir}/${entry.name}`;
    if (entry.isDirectory()) return isPrivate(entry.name) ? [] : testsBelow(root, path);
    return testName.test(entry.name) ? [path] : [];
  });
}

function isPrivate(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}
