import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeApplication, writeFiles } from "./dev-app.ts";
import { patienceMs } from "./patience.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const bin = join(root, "packages/fw/bin/fw.js");

/** The test runner of an application. */
export type TestRunner = "node" | "vitest";

export interface Ran {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

/** An application with tests, in a new directory. */
export interface TestedApp extends Disposable {
  readonly root: string;
  write(files: Readonly<Record<string, string>>): void;
  exists(path: string): boolean;
  /** Runs `fw test` until it exits. */
  run(...args: string[]): Promise<Ran>;
  /** Runs a program from the application's node_modules until it exits. */
  runProgram(program: string, ...args: string[]): Promise<Ran>;
  /** Starts `fw test` and leaves it running. */
  start(...args: string[]): StartedTests;
}

export interface StartedTests extends AsyncDisposable {
  /**
   * Resolves with the output's length once the output after `from` contains `text`. Rejects if the process exits first.
   */
  says(text: string, from?: number): Promise<number>;
  readonly exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** Writes an application that uses the runner. */
export function testedApp(runner: TestRunner, files: Readonly<Record<string, string>>): TestedApp {
  const dir = writeApplication(files);
  if (runner === "vitest") symlinkSync(join(root, "node_modules/vitest"), join(dir, "node_modules/vitest"));
  return {
    root: dir,
    write: (more) => writeFiles(dir, more),
    exists: (path) => existsSync(join(dir, path)),
    run: (...args) => resultOf(spawnNode(dir, bin, "test", ...args)),
    runProgram: (program, ...args) => resultOf(spawnNode(dir, join(dir, "node_modules", program), ...args)),
    start: (...args) => started(spawnNode(dir, bin, "test", ...args)),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Returns the line that imports `test` in a test file. */
export function importTest(runner: TestRunner): string {
  return `import { test } from "${runner === "node" ? "node:test" : "vitest"}";`;
}

function spawnNode(cwd: string, ...args: string[]): ChildProcess {
  const { NODE_OPTIONS: _options, NODE_ENV: _env, VITEST: _vitest, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const quiet = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("VITEST")));
  return spawn(process.execPath, args, { cwd, env: { ...quiet, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] });
}

async function resultOf(child: ChildProcess): Promise<Ran> {
  const { exited, output } = started(child);
  return { code: await exited, output: await exited.then(output) };
}

function started(child: ChildProcess): StartedTests & { readonly output: () => string } {
  let output = "";
  let over = false;
  const waiting = new Set<() => void>();
  const look = (): void => waiting.forEach((each) => each());
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      look();
    });
  }
  const exited = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      over = true;
      resolve(code);
      look();
    }),
  );
  return {
    exited,
    output: () => output,
    kill: (signal) => void child.kill(signal),
    says: (text, from = 0) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (output.slice(from).includes(text)) resolve(output.length);
          else if (over) reject(new Error(`it ended without saying "${text}":\n${output}`));
          else return;
          clearTimeout(late);
          waiting.delete(check);
        };
        const late = setTimeout(() => reject(new Error(`it never said "${text}":\n${output}`)), patienceMs);
        waiting.add(check);
        check();
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
