import type { BuiltApp } from "../../build/manifest.ts";
import { listOf } from "../../lib/suggest.ts";
import type { LocalPlatform } from "../../platform/local/open.ts";
import type { Topology } from "../../topology/topology.ts";
import { envProblems } from "../../workspace/env.ts";
import { GeneratedFiles } from "../../workspace/generated-files.ts";
import { Saves } from "../../workspace/saves.ts";
import type { Change } from "../../workspace/watch/watcher.ts";
import { Workspace, type Contents } from "../../workspace/workspace.ts";
import { AppBuilder } from "../build/builder.ts";
import { Refusal } from "../command.ts";
import { definitionsOfModel } from "../data/definitions.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { printText, textOptions } from "../print/text.ts";
import { ReleasePlan } from "./plan.ts";

export interface LoopOptions {
  readonly root: string;
  readonly io: IO;
  /** Starts the services of the first application in which nothing is wrong. */
  readonly launch: (built: BuiltApp, plan: ReleasePlan) => Promise<RunningServices>;
}

/** What the loop hands releases to. */
export interface RunningServices {
  readonly platform: LocalPlatform;
  readonly topology: Topology;
}

interface Running extends RunningServices {
  /** The definitions of the platform, as JSON. */
  readonly defined: string;
}

/** Builds the services, and again when something is saved: those that come out different take over. */
export class ServicesLoop {
  readonly #options: LoopOptions;
  readonly #workspace: Workspace;
  readonly #builder: AppBuilder;
  readonly #plan: ReleasePlan;
  readonly #saves: Saves;
  readonly #generated: GeneratedFiles;
  #running: Running | undefined;
  /** The problems with types that were printed last. */
  #reported = "";
  #fail: (error: unknown) => void = () => {};
  #stopped = false;

  constructor(options: LoopOptions) {
    const { root, io } = options;
    this.#options = options;
    this.#workspace = new Workspace({
      root,
      env: io.env,
      builds: {
        failed: ({ message, output }) => this.#say([message, output.trimEnd()].join("\n").trimEnd()),
        recovered: (command) => this.#say(`the site's build command works again: ${command}`),
      },
    });
    this.#builder = new AppBuilder(this.#workspace, "local");
    this.#plan = new ReleasePlan(root, io.env);
    this.#generated = new GeneratedFiles(this.#workspace, {
      refused: (diagnostics) => this.#say(`${this.#printed(diagnostics)}The generated client stays as it was.`),
      failed: (why) => this.#say(why),
    });
    this.#saves = new Saves(
      (changes) => this.#apply(changes),
      (error) => this.#defect(error),
    );
  }

  /** Follows the files until the loop is stopped. Rejects when nothing is declared, or services cannot be started at all. */
  async run(): Promise<never> {
    const failed = new Promise<never>((_resolve, reject) => (this.#fail = reject));
    await this.#saves.between(async () => {
      // Watching comes first: what is saved while the application is built is built again.
      this.#workspace.watch({
        changed: (changes) => this.#saves.add(changes),
        failed: (why) => this.#say(why),
      });
      const contents = await this.#workspace.read();
      const { app, diagnostics } = contents;
      this.#reportEnvironment();
      if (app.packages.length === 0 && diagnostics.length === 0) throw nothingDeclared(this.#options.root);
      await this.#goLive(contents, performance.now());
    });
    return failed;
  }

  /** Ends the loop after what is being done; answers what runs then. */
  async stop(): Promise<RunningServices | undefined> {
    this.#stopped = true;
    this.#workspace.close();
    return this.#saves.between(async () => this.#running);
  }

  /** Files that no service is made of are left alone. */
  async #apply(changes: readonly Change[]): Promise<void> {
    if (this.#stopped) return;
    const started = performance.now();
    const sorted = this.#workspace.classify(changes);
    const { modules, templates, assets, environment, project } = sorted;
    const concerns = project || environment || [modules, templates, assets].some((files) => files.length > 0);
    if (!concerns && !this.#saves.continues) return this.#workspace.rebuildSites(changes);
    if (project) this.#builder.forget();
    if (environment) this.#reportEnvironment();
    await this.#workspace.update(sorted);
    // A service has its own copy of its site, so a build command is not to be in the middle of it.
    await this.#goLive(await this.#workspace.settled(), started);
  }

  async #goLive({ app, diagnostics }: Contents, started: number): Promise<void> {
    if (this.#isOver()) return;
    if (diagnostics.length > 0) return this.#refused(diagnostics);
    const built = await this.#build(app);
    if (built === undefined || this.#isOver()) return;
    if (this.#running === undefined) await this.#launch(built);
    else await this.#deploy(this.#running, built, started);
    this.#generated.follow().catch((error: unknown) => this.#defect(error));
    this.#reportTypes().catch((error: unknown) => this.#defect(error));
  }

  #isOver(): boolean {
    return this.#stopped || this.#saves.isOvertaken();
  }

  /** Undefined, and why printed, where a service cannot be bundled. */
  async #build(app: Contents["app"]): Promise<BuiltApp | undefined> {
    try {
      return await this.#builder.build(app);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#say(error.message);
      return this.#goesOn();
    }
  }

  async #launch(built: BuiltApp): Promise<void> {
    try {
      const running = await this.#options.launch(built, this.#plan);
      this.#running = { ...running, defined: JSON.stringify(definitionsOfModel(built.app)) };
    } catch (error) {
      this.#fail(error);
    }
  }

  async #deploy(running: Running, built: BuiltApp, started: number): Promise<void> {
    const { platform, topology } = running;
    const definitions = definitionsOfModel(built.app);
    const defined = JSON.stringify(definitions);
    if (defined !== running.defined) await platform.redefine(definitions);
    this.#running = { ...running, defined };
    const { replaced, failed } = await topology.deploy(built.app, await this.#plan.releasesOf(built));
    if (failed.length > 0)
      return this.#say(`${listOf(failed, "and")} did not start; the versions before keep answering`);
    const ms = Math.round(performance.now() - started);
    if (replaced.length === 0) this.#say(`the saved files change no service (${ms} ms)`);
    else this.#say(`live in ${listOf(replaced, "and")} (${ms} ms)`);
  }

  #refused(diagnostics: Contents["diagnostics"]): void {
    this.#say(this.#printed(diagnostics));
    this.#goesOn();
  }

  #goesOn(): undefined {
    this.#say(this.#running ? "The last good version keeps answering." : "Save a fix and the services start.");
  }

  #reportEnvironment(): void {
    for (const problem of envProblems(this.#options.root)) this.#say(problem);
  }

  /** Prints what is new of what is wrong with types, which keeps nothing from running. */
  async #reportTypes(): Promise<void> {
    const wrong = await this.#workspace.typesLater();
    if (wrong === undefined) return;
    const text = JSON.stringify(wrong);
    if (wrong.length > 0 && text !== this.#reported) {
      this.#say(`${this.#printed(wrong)}Type errors do not keep the application from running.`);
    }
    this.#reported = text;
  }

  #printed(diagnostics: Contents["diagnostics"]): string {
    const { root, io } = this.#options;
    return printText(diagnostics, textOptions(root, io));
  }

  #defect(error: unknown): void {
    const stack = error instanceof Error ? error.stack : String(error);
    if (!this.#stopped)
      this.#say(error instanceof Refusal ? error.message : `an internal error in fw, please report it: ${stack}`);
  }

  #say(sentence: string): void {
    if (!this.#stopped) this.#options.io.out.write(`${sentence}\n`);
  }
}
