import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { onLine } from "../../lib/lines.ts";

/** A site's `build` setting, with its paths resolved. */
export interface SiteBuild {
  readonly command: string;
  /** Absolute path of the package, where the command runs. */
  readonly cwd: string;
  /** Absolute path of the directory that the command makes. */
  readonly out: string;
}

export interface SiteBuildIO {
  /** Takes the command's output, a line at a time and without line breaks. */
  readonly line: (text: string) => void;
  /** Ends the command and all it started. */
  readonly signal?: AbortSignal | undefined;
  /** This process's by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A build that did not make its site; the message says what to do. */
export class SiteBuildError extends Error {}

/** Milliseconds a command has to end after it was told to. */
const killAfterMs = 2_000;

/** Runs a site's build command in a shell that finds the commands of installed packages. Rejects with a SiteBuildError, or the signal's reason. */
export async function runSiteBuild(build: SiteBuild, io: SiteBuildIO): Promise<void> {
  io.signal?.throwIfAborted();
  const ended = await run(build, io);
  io.signal?.throwIfAborted();
  if (ended !== "exit code 0") throw new SiteBuildError(failed(build, ended));
  const made = await stat(build.out).catch(() => undefined);
  if (!made?.isDirectory()) throw new SiteBuildError(madeNothing(build));
}

/** How the command ended: `exit code 0`, `signal SIGKILL` or why it did not start. */
function run(build: SiteBuild, io: SiteBuildIO): Promise<string> {
  const env = io.env ?? process.env;
  return new Promise((resolve) => {
    const child = spawn(build.command, {
      cwd: build.cwd,
      env: { ...env, PATH: searchPath(build.cwd, env["PATH"]) },
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
    });
    const stop = (): void => endGroup(child);
    io.signal?.addEventListener("abort", stop);
    onLine(child.stdout, io.line);
    onLine(child.stderr, io.line);
    const end = (how: string): void => {
      io.signal?.removeEventListener("abort", stop);
      resolve(how);
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}

/** The PATH of npm scripts: the installed commands of the package and of the directories above it come first. */
function searchPath(cwd: string, path: string | undefined): string {
  const bins: string[] = [];
  for (let dir = cwd; ; dir = dirname(dir)) {
    bins.push(join(dir, "node_modules", ".bin"));
    if (dirname(dir) === dir) break;
  }
  return [...bins, path ?? ""].join(delimiter);
}

/** Ends a command with everything it started, which would go on writing otherwise. */
function endGroup(child: ChildProcess): void {
  signalGroup(child, "SIGTERM");
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), killAfterMs).unref();
  child.once("close", () => clearTimeout(timer));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function failed({ command, cwd }: SiteBuild, ended: string): string {
  return `the site's build command failed (${ended}): ${command} (it ran in ${cwd})`;
}

function madeNothing({ command, out }: SiteBuild): string {
  return `the site's build command made no directory ${out}: ${command} (set build.out to the directory that it makes)`;
}
