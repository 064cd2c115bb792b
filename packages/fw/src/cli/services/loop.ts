import { join, sep } from "node:path";
import { sortChanges } from "../../dev/changes.ts";
import { sitesOf } from "../../dev/engine.ts";
import { SerialQueue } from "../../lib/serial-queue.ts";
import { watchFiles, type Change, type Watcher } from "../../dev/watch/watcher.ts";
import { listOf } from "../../lib/suggest.ts";
import type { LocalPlatform } from "../../platform/local/open.ts";
import type { Topology } from "../../topology/topology.ts";
import type { AppBuilder, BuiltApp } from "../build/builder.ts";
import { Refusal } from "../command.ts";
import { definitionsOfModel } from "../data/definitions.ts";
import type { IO } from "../io.ts";
import type { ReleasePlan } from "./plan.ts";

/** What the loop works on, once it runs. */
export interface LoopParts {
  readonly platform: LocalPlatform;
  readonly topology: Topology;
  readonly plan: ReleasePlan;
  readonly builder: AppBuilder;
  /** What runs at the beginning. */
  readonly built: BuiltApp;
}

interface Running extends LoopParts {
  /** The definitions of the platform, as JSON. */
  readonly defined: string;
}

/** Builds what was saved, and lets the services that come out different take over. */
export class ServicesLoop {
  readonly #root: string;
  readonly #io: IO;
  readonly #watcher: Watcher;
  #running: Running | undefined;
  readonly #queue = new SerialQueue();
  #waiting: Change[] = [];
  #stopped = false;

  /** What is saved from now on is built, once the services run. */
  constructor(root: string, io: IO) {
    this.#root = root;
    this.#io = io;
    this.#watcher = watchFiles(
      root,
      (changes) => this.#changed(changes),
      (error) => this.#say(`saved files are not followed: ${error.message}`),
    );
  }

  begin(parts: LoopParts): void {
    this.#running = { ...parts, defined: JSON.stringify(definitionsOfModel(parts.built.app)) };
    this.#inTurn(({ builder }) => builder.reportTypes());
    this.#applyWaiting();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watcher.close();
    await this.#queue.run(async () => {});
  }

  /** Saves that come while services are built are one. */
  #changed(changes: readonly Change[]): void {
    const first = this.#waiting.length === 0;
    this.#waiting.push(...changes);
    if (first) this.#applyWaiting();
  }

  #applyWaiting(): void {
    this.#inTurn((running) => this.#apply(running, this.#waiting.splice(0)));
  }

  #inTurn(work: (running: Running) => Promise<void>): void {
    this.#queue
      .run(async () => (this.#stopped || this.#running === undefined ? undefined : work(this.#running)))
      .catch((error: unknown) =>
        this.#say(error instanceof Refusal ? error.message : String((error as Error).stack ?? error)),
      );
  }

  /** Files that no service is made of are left alone, and so are those that a site's build command made. */
  async #apply(running: Running, changes: readonly Change[]): Promise<void> {
    const started = performance.now();
    const root = this.#root;
    const sites = sitesOf(running.built.app);
    const made = sites.filter(({ build }) => build !== undefined).map(({ dir }) => join(root, dir, sep));
    const saved = changes.filter(({ path }) => !made.some((dir) => path.startsWith(dir)));
    const sorted = sortChanges(
      saved,
      root,
      sites.map(({ dir }) => join(root, dir)),
    );
    const { modules, templates, assets, environment, project } = sorted;
    if (!project && !environment && [modules, templates, assets].every((files) => files.length === 0)) return;
    const built = await running.builder.build(sorted);
    if (built === undefined || this.#stopped) return;
    await this.#deploy(running, built, started);
    await running.builder.reportTypes();
  }

  async #deploy(running: Running, built: BuiltApp, started: number): Promise<void> {
    const { platform, topology, plan } = running;
    const definitions = definitionsOfModel(built.app);
    const defined = JSON.stringify(definitions);
    if (defined !== running.defined) await platform.redefine(definitions);
    this.#running = { ...running, built, defined };
    const { replaced, failed } = await topology.deploy(built.app, await plan.releasesOf(built));
    if (failed.length > 0) return this.#say(`${listOf(failed, "and")} did not start: the services run on as they were`);
    const ms = Math.round(performance.now() - started);
    if (replaced.length === 0) this.#say(`no service is made of what was saved (${ms} ms)`);
    else this.#say(`what was saved is live in ${listOf(replaced, "and")} (${ms} ms)`);
  }

  #say(sentence: string): void {
    this.#io.out.write(`${sentence}\n`);
  }
}
