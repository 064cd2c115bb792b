import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { SiteDeclaration } from "../model/app.ts";
import { runSiteBuild } from "../runtime/site/build.ts";
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
  #stop: AbortController | undefined;

  constructor(root: string, site: SiteDeclaration, env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
    this.command = site.build?.command ?? "";
    this.dir = join(root, dirname(site.declaration.module));
    this.#out = join(root, site.build?.out ?? site.dir);
  }

  get running(): boolean {
    return this.#stop !== undefined;
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
    const { signal } = (this.#stop = new AbortController());
    let output = "";
    const line = (text: string): void => void (output = `${output}${text}\n`.slice(-shownOutput));
    try {
      const build = { command: this.command, cwd: this.dir, out: this.#out };
      await runSiteBuild(build, { line, signal, env: this.#env });
      return { ok: true, ms: performance.now() - started };
    } catch (error) {
      return { ok: false, message: error instanceof Error ? error.message : String(error), output };
    } finally {
      this.#stop = undefined;
      this.#made = hashesBelow(this.#out);
    }
  }

  stop(): void {
    this.#stop?.abort();
  }
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
