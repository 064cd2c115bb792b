import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { filesBelow } from "../../lib/read-file.ts";
import type { SiteDeclaration } from "../../model/app.ts";
import { runSiteBuild } from "./build-command.ts";
import type { Change } from "../watch/watcher.ts";

export type BuildOutcome =
  | { readonly ok: true; readonly ms: number; readonly wrote: readonly Change[] }
  | { readonly ok: false; readonly message: string; readonly output: string; readonly wrote: readonly Change[] };

/** The most characters of a failed build's output to show. */
const shownOutput = 8_000;

/**
 * The build command of a site. Runs at the start and when its inputs change, but not for changes that it has made
 * itself.
 */
export class SiteBuild {
  readonly command: string;
  /** The directory of the declaring package, in which the command runs and from which it may read. */
  readonly dir: string;
  /** The output directory, absolute. */
  readonly out: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #outputHashes: ReadonlyMap<string, string> = new Map();
  #stop: AbortController | undefined;

  constructor(root: string, site: SiteDeclaration, env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    this.command = site.build?.command ?? "";
    this.dir = join(root, dirname(site.declaration.module));
    this.out = join(root, site.build?.out ?? site.dir);
  }

  get isRunning(): boolean {
    return this.#stop !== undefined;
  }

  /** True if the build may read a changed file. */
  concerns(changes: readonly Change[]): boolean {
    return changes.some((change) => change.path.startsWith(this.dir + sep) && !this.isOwnChange(change));
  }

  /** True for a change that the build itself made; it reports these changes when it ends. */
  isOwnChange({ path }: Change): boolean {
    return path.startsWith(this.out + sep) && (this.isRunning || this.#outputHashes.get(path) === hashOf(path));
  }

  async run(): Promise<BuildOutcome> {
    const started = performance.now();
    const { signal } = (this.#stop = new AbortController());
    let output = "";
    const line = (text: string): void => void (output = `${output}${text}\n`.slice(-shownOutput));
    try {
      const build = { command: this.command, cwd: this.dir, out: this.out };
      await runSiteBuild(build, { line, signal, env: this.#env });
      return { ok: true, ms: performance.now() - started, wrote: this.#end() };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error), output, wrote: this.#end() };
    }
  }

  /** Returns the changes since the previous run ended. */
  #end(): readonly Change[] {
    const before = this.#outputHashes;
    this.#stop = undefined;
    this.#outputHashes = new Map(filesBelow(this.out).map((path) => [path, hashOf(path) ?? ""]));
    const deleted = [...before.keys()].filter((path) => !this.#outputHashes.has(path));
    const fresh = [...this.#outputHashes].filter(([path, hash]) => before.get(path) !== hash);
    return [
      ...deleted.map((path): Change => ({ path, kind: "deleted" })),
      ...fresh.map(([path]): Change => ({ path, kind: before.has(path) ? "changed" : "created" })),
    ];
  }

  stop(): void {
    this.#stop?.abort();
  }
}

function hashOf(path: string): string | undefined {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("base64");
  } catch {
    return undefined;
  }
}
