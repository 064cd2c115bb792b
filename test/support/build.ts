import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fwIn } from "../../packages/fw/src/cli/testing/run.ts";

/** The command line of the built package. */
export const bin: string = fileURLToPath(new URL("../../packages/fw/bin/fw.js", import.meta.url));

/** Runs `fw build` in this process and resolves with its output. A second build bundles only what has changed. */
export async function build(root: string, ...options: readonly string[]): Promise<string> {
  const { code, out, err } = await fwIn(process.env as Record<string, string>, [], root, "build", ...options);
  if (code !== 0) throw new Error(`fw build failed:\n${out}${err}`);
  return out;
}

/** A copy of the latest build by `buildOrCopy`, and the contents of its source files. */
let latest: { readonly files: ReadonlyMap<string, string>; readonly copy: string } | undefined;

process.once("exit", () => latest && rmSync(latest.copy, { recursive: true, force: true }));

/**
 * Builds an application in a new directory, or copies the latest build if its files are equal: a suite starts the same
 * application in several topologies, and copying is faster than analyzing it again.
 */
export async function buildOrCopy(root: string): Promise<void> {
  const target = join(root, ".fw/build");
  const files = filesBelow(root);
  if (latest !== undefined && areEqual(files, latest.files)) return cpSync(latest.copy, target, { recursive: true });
  await build(root);
  const copy = mkdtempSync(join(tmpdir(), "fw-build-"));
  cpSync(target, copy, { recursive: true });
  if (latest !== undefined) rmSync(latest.copy, { recursive: true, force: true });
  latest = { files, copy };
}

function areEqual(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([path, text]) => other.get(path) === text);
}

/** Runs `fw build` as a user would, in its own process, and resolves with its output. */
export async function buildAsUser(root: string): Promise<string> {
  return (await promisify(execFile)(process.execPath, [bin, "build"], { cwd: root })).stdout;
}

/** Returns the contents of all files below a directory, sorted by path. */
export function filesBelow(dir: string): ReadonlyMap<string, string> {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
  return new Map(names.toSorted().map((name) => [name, readFileSync(join(dir, name), "latin1")]));
}

/** Returns the concatenated files of each built service, by name. */
export function builtServices(root: string): ReadonlyMap<string, string> {
  const dir = join(root, ".fw/build/services");
  return new Map(
    readdirSync(dir)
      .toSorted()
      .map((name) => [name, [...filesBelow(join(dir, name)).values()].join("\n")]),
  );
}

/** Returns the fw modules in each built service's bundle, by name, according to its source maps. */
export function modulesOf(root: string): ReadonlyMap<string, readonly string[]> {
  const dir = join(root, ".fw/build/services");
  return new Map(
    readdirSync(dir)
      .toSorted()
      .map((name) => {
        const maps = [...filesBelow(join(dir, name))].filter(([file]) => file.endsWith(".js.map"));
        const sources = maps.flatMap(([, text]) => (JSON.parse(text) as { sources: string[] }).sources);
        return [name, [...new Set(sources)].toSorted()];
      }),
  );
}

/** A running built service. */
export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Resolves with its exit code. */
  readonly exited: Promise<number | null>;
  /** Returns the output so far. */
  output(): string;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The Node executable; by default the current one. */
  readonly node?: string;
}

/** Starts a built service on a free port. Rejects with its output if it exits first. */
export function startService(root: string, name: string, options: StartOptions = {}): Promise<RunningService> {
  return startNode(join(root, ".fw/build/services", name, "main.js"), options);
}

/** Starts a built service from the path of its module. */
export async function startNode(main: string, options: StartOptions = {}): Promise<RunningService> {
  const child = spawn(options.node ?? process.execPath, [main], {
    env: { PATH: process.env["PATH"], PORT: "0", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = (once(child, "exit") as Promise<[number | null]>).then(([code]) => code);
  let text = "";
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const listening = /^\{.*"port":(\d+).*"message":"listening"/m.exec(text);
        if (listening) resolve(Number(listening[1]));
      });
    }
    child.once("close", (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
  const stop = async (): Promise<number | null> => {
    child.kill("SIGTERM");
    return exited;
  };
  return {
    url: `http://localhost:${port}`,
    pid: child.pid ?? 0,
    exited,
    output: () => text,
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) await stop();
    },
  };
}
