import { join, relative, sep } from "node:path";
import type { App, SiteDeclaration } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { Change } from "../watch/watcher.ts";
import { SiteBuild, type BuildOutcome } from "./build.ts";

/** Why a site's build command did not make the site, with the end of what it printed. */
export interface FailedBuild {
  readonly message: string;
  readonly output: string;
}

/** What becomes of the build commands of sites. */
export interface BuildEvents {
  /** It failed, the first time or again; the last good site stays. */
  failed(why: FailedBuild): void;
  /** A command that failed the last time did not this time; a sentence. */
  recovered(sentence: string): void;
}

interface SiteBuildsOptions extends BuildEvents {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what a build in the background wrote, all at once when it is done. */
  readonly wrote: (changes: readonly Change[]) => void;
}

/** The build commands of an application's sites: one run of each at a time. */
export class SiteBuilds {
  readonly #options: SiteBuildsOptions;
  #builds: Map<string, SiteBuild> = new Map();
  /** What a build reads changed while it ran. */
  readonly #again: Set<SiteBuild> = new Set();
  readonly #failures: Map<SiteBuild, FailedBuild> = new Map();
  readonly #names: Map<string, string> = new Map();
  readonly #work: Set<Promise<unknown>> = new Set();
  #stopped = false;

  constructor(options: SiteBuildsOptions) {
    this.#options = options;
  }

  /** Builds that failed the last time. */
  get failures(): readonly FailedBuild[] {
    return [...this.#failures.values()];
  }

  /** Runs the builds that an application declares, to their end. */
  async runAll(app: App): Promise<void> {
    await Promise.all(this.#declare(app).map((build) => this.#run(build)));
  }

  /** Runs the builds that an application has not had before and those that may read one of these files; ends those that it no longer has. */
  follow(app: App, changes: readonly Change[]): void {
    const fresh = this.#declare(app);
    for (const change of changes)
      if (this.#names.has(change.path) && !this.made(change)) this.#names.delete(change.path);
    for (const build of this.#builds.values()) if (fresh.includes(build) || build.concerns(changes)) this.#rerun(build);
  }

  /** True for a change that a build made, which it tells when it is done. */
  made(change: Change): boolean {
    return [...this.#builds.values()].some((build) => build.made(change));
  }

  /** True while a command writes the site's directory. */
  isRunning(site: SiteDeclaration): boolean {
    const dir = join(this.#options.root, site.dir) + sep;
    return [...this.#builds.values()].some((build) => build.running && dir.startsWith(build.out + sep));
  }

  /** True while a command runs in the background. */
  get areRunning(): boolean {
    return this.#work.size > 0;
  }

  /** Resolves when no command runs in the background. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  /** What to call a file that a build wrote; undefined for any other. */
  nameOf({ path }: Change): string | undefined {
    return this.#names.get(path);
  }

  stop(): void {
    this.#stopped = true;
    for (const build of this.#builds.values()) build.stop();
  }

  /** Answers the builds that were not there before. */
  #declare(app: App): SiteBuild[] {
    const { root, env } = this.#options;
    const known = this.#builds;
    this.#builds = new Map();
    const fresh: SiteBuild[] = [];
    for (const site of allOfKind(app.packages, "site")) {
      if (site.build === undefined) continue;
      const key = JSON.stringify([site.dir, site.declaration.module, site.build]);
      const build = known.get(key) ?? new SiteBuild(root, site, env);
      if (!known.delete(key)) fresh.push(build);
      this.#builds.set(key, build);
    }
    for (const build of known.values()) this.#forget(build);
    return fresh;
  }

  #forget(build: SiteBuild): void {
    build.stop();
    this.#again.delete(build);
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

  /** Undefined when it is running: that run is followed by another and tells for both. */
  async #run(build: SiteBuild): Promise<BuildOutcome | undefined> {
    if (build.running) return void this.#again.add(build);
    const outcome = await build.run();
    if (this.#stopped || !this.#has(build)) return undefined;
    if (this.#again.delete(build)) return afterAnother(outcome, await this.#run(build));
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
    const name = relative(this.#options.root, out).split(sep).join("/");
    return outcome.ok ? `${name} (built in ${Math.round(outcome.ms)} ms)` : `${name} (half built)`;
  }
}

function afterAnother(first: BuildOutcome, second: BuildOutcome | undefined): BuildOutcome | undefined {
  return second && { ...second, wrote: [...first.wrote, ...second.wrote] };
}
