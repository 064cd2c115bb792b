import { type ChildProcess, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { onLine } from "../../lib/lines.ts";
import { withSearchPath } from "../../lib/search-path.ts";

/** A site's `build` setting with resolved paths. */
export interface BuildCommand {
  readonly command: string;
  /** Absolute path of the package, where the command runs. */
  readonly cwd: string;
  /** Absolute path of the directory that the command fills. */
  readonly out: string;
}

export interface SiteBuildIO {
  /** Receives each line of the command's output, without its line break. */
  readonly line: (text: string) => void;
  /** Aborts the command and its child processes. */
  readonly signal?: AbortSignal | undefined;
  /** Defaults to the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A site build that failed; the message contains the reason and the command. */
export class SiteBuildError extends Error {}

/** Milliseconds between SIGTERM and SIGKILL. */
const killAfterMs = 2_000;

/**
 * Runs a site's build command in a shell whose PATH contains the commands of installed packages. Rejects with a
 * SiteBuildError, or with the signal's reason.
 */
export async function runSiteBuild(build: BuildCommand, io: SiteBuildIO): Promise<void> {
  io.signal?.throwIfAborted();
  const outcome = await run(build, io);
  io.signal?.throwIfAborted();
  if (outcome !== "exit code 0") throw new SiteBuildError(failureMessage(build, outcome));
  const output = await stat(build.out).catch(() => undefined);
  if (!output?.isDirectory()) throw new SiteBuildError(missingOutputMessage(build));
}

/** Resolves with the outcome: `exit code 0`, `signal SIGKILL`, or the error if the command could not start. */
function run(build: BuildCommand, io: SiteBuildIO): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(build.command, {
      cwd: build.cwd,
      env: withSearchPath(io.env ?? process.env, commandDirectories(build.cwd)),
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

/** Returns the directories of installed commands, in the package and its parents. */
function commandDirectories(cwd: string): readonly string[] {
  const bins: string[] = [];
  for (let dir = cwd; ; dir = dirname(dir)) {
    bins.push(join(dir, "node_modules", ".bin"));
    if (dirname(dir) === dir) return bins;
  }
}

/** Ends a command and its child processes, which would otherwise keep writing. */
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
    // The process has already ended.
  }
}

function failureMessage({ command, cwd }: BuildCommand, outcome: string): string {
  return `the site's build command failed (${outcome}): ${command} (in ${cwd})`;
}

function missingOutputMessage({ command, out }: BuildCommand): string {
  return `the site's build command did not create ${out}: ${command} (set build.out to the directory that it creates)`;
}
