import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { filesBelow } from "../../lib/read-file.ts";
import type { SiteDeclaration } from "../../model/app.ts";
import { runSiteBuild } from "../../runtime/site/build.ts";
import type { Change } from "../watch/watcher.ts";

export type BuildOutcome =
  | { readonly ok: true; readonly ms: number; readonly wrote: readonly Change[] }
  | { readonly ok: false; readonly message: string; readonly output: string; readonly wrote: readonly Change[] };

/** Longest output of a failed build that is shown. */
const shownOutput = 8_000;

/** A site's build command: run at the start and again when what it reads changed, but not for what it wrote. */
export class SiteBuild {
  readonly command: string;
  /** The declaring package's directory: where the command runs, and whose files it may read. */
  readonly dir: string;
  /** The directory that the command makes, absolute. */
  readonly out: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #made: ReadonlyMap<string, string> = new Map();
  #stop: AbortController | undefined;

  constructor(root: string, site: SiteDeclaration, env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    this.command = site.build?.command ?? "";
    this.dir = join(root, dirname(site.declaration.module));
    this.out = join(root, site.build?.out ?? site.dir);
  }

  get running(): boolean {
    return this.#stop !== undefined;
  }

  /** True when one of the changes is to what the build may read. */
  concerns(changes: readonly Change[]): boolean {
    return changes.some((change) => change.path.startsWith(this.dir + sep) && !this.made(change));
  }

  /** True for a change that is the build's own doing, which it tells itself when it is done. */
  made({ path }: Change): boolean {
    return path.startsWith(this.out + sep) && (this.running || this.#made.get(path) === hashOf(path));
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

  /** Answers what is different from the end of the run before. */
  #end(): readonly Change[] {
    const before = this.#made;
    this.#stop = undefined;
    this.#made = new Map(filesBelow(this.out).map((path) => [path, hashOf(path) ?? ""]));
    const gone = [...before.keys()].filter((path) => !this.#made.has(path));
    const fresh = [...this.#made].filter(([path, hash]) => before.get(path) !== hash);
    return [
      ...gone.map((path): Change => ({ path, kind: "deleted" })),
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
