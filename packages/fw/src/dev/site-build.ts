import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import type { SiteDeclaration } from "../model/app.ts";
import type { Change } from "./watch/watcher.ts";

export type BuildOutcome =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly message: string; readonly output: string };

/** Longest output of a failed build that is shown. */
const shownOutput = 8_000;

/** A site's build command: run at the start and again when what it reads changed, but not for what it wrote. */
export class SiteBuild {
  readonly command: string;
  /** The declaring package's directory: where the command runs, and whose files it may read. */
  readonly dir: string;
  readonly #out: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #made: ReadonlyMap<string, string> = new Map();
  #process: ChildProcess | undefined;

  constructor(root: string, site: SiteDeclaration, env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    this.command = site.build?.command ?? "";
    this.dir = join(root, dirname(site.declaration.module));
    this.#out = join(this.dir, site.build?.out ?? "");
  }

  get running(): boolean {
    return this.#process !== undefined;
  }

  /** True when one of the changes is not the build's own doing. */
  concerns(changes: readonly Change[]): boolean {
    return changes.some(({ path }) => {
      if (!path.startsWith(this.dir + sep)) return false;
      if (!path.startsWith(this.#out + sep)) return true;
      return !this.running && this.#made.get(path) !== hashOf(path);
    });
  }

  async run(): Promise<BuildOutcome> {
    const started = performance.now();
    const outcome = await this.#spawn();
    this.#process = undefined;
    this.#made = hashesBelow(this.#out);
    return outcome === undefined ? { ok: true, ms: performance.now() - started } : { ok: false, ...outcome };
  }

  stop(): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    try {
      // The command's shell and everything that it started are one group.
      process.kill(process.platform === "win32" ? pid : -pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  }

  /** Undefined when it went well. */
  #spawn(): Promise<{ message: string; output: string } | undefined> {
    const env = { ...this.#env, PATH: [...binDirectories(this.dir), this.#env.PATH ?? ""].join(delimiter) };
    const child = spawn(this.command, { cwd: this.dir, env, shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    let output = "";
    const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-shownOutput));
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    return new Promise((resolve) => {
      child.once("error", (error) => resolve({ message: `"${this.command}" cannot run: ${error.message}`, output }));
      child.once("close", (code, signal) => {
        const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
        resolve(code === 0 ? undefined : { message: `"${this.command}" ${how}`, output });
      });
    });
  }
}

/** Where npm puts the programs of dependencies, nearest first: the command finds them as it would in an npm script. */
function binDirectories(dir: string): string[] {
  const bin = join(dir, "node_modules", ".bin");
  return dirname(dir) === dir ? [bin] : [bin, ...binDirectories(dirname(dir))];
}

function hashesBelow(dir: string): Map<string, string> {
  const hashes = new Map<string, string>();
  try {
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      hashes.set(path, hashOf(path) ?? "");
    }
  } catch {
    // Nothing was built.
  }
  return hashes;
}

function hashOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("base64");
  } catch {
    return undefined;
  }
}
