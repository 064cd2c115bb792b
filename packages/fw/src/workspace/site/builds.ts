import { join, sep, dirname } from "node:path";
import { relativePath } from "../../lib/relative-path.ts";
import type { App, SiteDeclaration } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { Change } from "../watch/watcher.ts";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { filesBelow } from "../../lib/read-file.ts";
import { runSiteBuild } from "./build-command.ts";

/** A build command that failed, with the end of its output. */
export interface FailedBuild {
  readonly message: string;
  readonly output: string;
}

export interface BuildEvents {
  /** Called if a command fails. The site's last build remains. */
  failed(why: FailedBuild): void;
  /** Called with a sentence if a command succeeds after a failure. */
  recovered(sentence: string): void;
}

interface SiteBuildsOptions extends BuildEvents {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the files that a background build wrote, in one call when it ends. */
  readonly wrote: (changes: readonly Change[]) => void;
}

/** Runs the build commands of an application's sites. Each command runs at most once at a time. */
export class SiteBuilds {
  readonly #options: SiteBuildsOptions;
  #builds: Map<string, SiteBuild> = new Map();
  /** Builds whose inputs changed while they ran. */
  readonly #outdated: Set<SiteBuild> = new Set();
  readonly #failures: Map<SiteBuild, FailedBuild> = new Map();
  readonly #names: Map<string, string> = new Map();
  readonly #work: Set<Promise<unknown>> = new Set();
  #stopped = false;

  constructor(options: SiteBuildsOptions) {
    this.#options = options;
  }

  /** The builds whose last run failed. */
  get failures(): readonly FailedBuild[] {
    return [...this.#failures.values()];
  }

  /** Runs all builds of an application and waits for them. */
  async runAll(app: App): Promise<void> {
    await Promise.all(this.#declare(app).map((build) => this.#run(build)));
  }

  /** Starts new builds, and builds that may read the changed files. Stops removed builds. */
  follow(app: App, changes: readonly Change[]): void {
    const fresh = this.#declare(app);
    for (const change of changes)
      if (this.#names.has(change.path) && !this.isOwnChange(change)) this.#names.delete(change.path);
    for (const build of this.#builds.values()) if (fresh.includes(build) || build.concerns(changes)) this.#rerun(build);
  }

  /** True for a change that a build made and reports at its end. */
  isOwnChange(change: Change): boolean {
    return [...this.#builds.values()].some((build) => build.isOwnChange(change));
  }

  /** True while a command writes the site's directory. */
  isRunning(site: SiteDeclaration): boolean {
    const dir = join(this.#options.root, site.dir) + sep;
    return [...this.#builds.values()].some((build) => build.isRunning && dir.startsWith(build.out + sep));
  }

  /** True while a build command runs in the background. */
  get areRunning(): boolean {
    return this.#work.size > 0;
  }

  /** Resolves when no command runs in the background. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  /** Names a file that a build wrote; undefined for other files. */
  nameOf({ path }: Change): string | undefined {
    return this.#names.get(path);
  }

  stop(): void {
    this.#stopped = true;
    for (const build of this.#builds.values()) build.stop();
  }

  /** Replaces the builds and returns the new ones. */
  #declare(app: App): SiteBuild[] {
    const { root, env } = this.#options;
    const previous = this.#builds;
    this.#builds = new Map();
    const fresh: SiteBuild[] = [];
    for (const site of allOfKind(app.packages, "site")) {
      if (site.build === undefined) continue;
      const key = JSON.stringify([site.dir, site.declaration.module, site.build]);
      const build = previous.get(key) ?? new SiteBuild(root, site, env);
      if (!previous.delete(key)) fresh.push(build);
      this.#builds.set(key, build);
    }
    for (const build of previous.values()) this.#forget(build);
    return fresh;
  }

  #forget(build: SiteBuild): void {
    build.stop();
    this.#outdated.delete(build);
    this.#failures.delete(build);
  }

  #rerun(build: SiteBuild): void {
    const rerun = async (): Promise<void> => {
      const outcome = await this.#run(build);
      if (outcome === undefined || this.#stopped) return;
      for (const { path } of outcome.wrote) this.#names.set(path, this.#label(build, outcome));
      if (outcome.wrote.length > 0) this.#options.wrote(outcome.wrote);
    };
    const work = rerun().finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  /**
   * Runs a build. If it is already running, returns undefined and runs it again afterwards, with one outcome for both
   * runs. Also returns undefined for a build that was stopped or removed while it ran.
   */
  async #run(build: SiteBuild): Promise<BuildOutcome | undefined> {
    if (build.isRunning) return void this.#outdated.add(build);
    const outcome = await build.run();
    if (this.#stopped || !this.#has(build)) return undefined;
    if (this.#outdated.delete(build)) return combineOutcomes(outcome, await this.#run(build));
    this.#report(build, outcome);
    return outcome;
  }

  #has(build: SiteBuild): boolean {
    return [...this.#builds.values()].includes(build);
  }

  #report(build: SiteBuild, outcome: BuildOutcome): void {
    const failedBefore = this.#failures.delete(build);
    if (outcome.ok) {
      if (failedBefore) this.#options.recovered(`the site's build command works again: ${build.command}`);
      return;
    }
    const { message, output } = outcome;
    this.#failures.set(build, { message, output });
    this.#options.failed({ message, output });
  }

  #label({ out }: SiteBuild, outcome: BuildOutcome): string {
    const name = relativePath(this.#options.root, out);
    return outcome.ok ? `${name} (built in ${Math.round(outcome.ms)} ms)` : `${name} (half built)`;
  }
}

function combineOutcomes(first: BuildOutcome, second: BuildOutcome | undefined): BuildOutcome | undefined {
  return second && { ...second, wrote: [...first.wrote, ...second.wrote] };
}

type BuildOutcome =
  | { readonly ok: true; readonly ms: number; readonly wrote: readonly Change[] }
  | { readonly ok: false; readonly message: string; readonly output: string; readonly wrote: readonly Change[] };

/** The maximum number of characters to show of a failed build's output. */
const shownOutput = 8_000;

/** The build command of a site. Runs at the start and when its inputs change, but not after its own changes. */
class SiteBuild {
  readonly command: string;
  /** The directory of the declaring package, where the command runs and may read files. */
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

  /** True for a change that this build made and reports at its end. */
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

  /** Ends a run. Returns the output files that changed since the previous run ended. */
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
