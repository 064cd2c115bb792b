import type { BuiltApp } from "../../build/manifest.ts";
import { listOf } from "../../lib/suggest.ts";
import { Follower } from "../../workspace/follower.ts";
import type { Change } from "../../workspace/watch/watcher.ts";
import type { Contents } from "../../workspace/workspace.ts";
import { AppBuilder } from "../build/builder.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { printText, textOptions } from "../print/text.ts";
import { launch, type RunningServices, type ServicesPlace } from "./launch.ts";
import { ReleasePlan } from "./plan.ts";

/** Builds the services, and again when something is saved: those that come out different take over. */
export class ServicesLoop {
  readonly #place: ServicesPlace;
  readonly #io: IO;
  readonly #follower: Follower;
  readonly #builder: AppBuilder;
  readonly #plan: ReleasePlan;
  #running: RunningServices | undefined;
  /** The problems with types that were printed last. */
  #reported = "";
  #fail: (error: unknown) => void = () => {};
  #stopped = false;

  constructor(place: ServicesPlace, io: IO) {
    const { root } = place;
    this.#place = place;
    this.#io = io;
    this.#follower = new Follower(
      { root, env: io.env },
      {
        saved: (changes) => this.#apply(changes),
        failed: ({ message, output }) => this.#say([message, output.trimEnd()].join("\n").trimEnd()),
        recovered: (sentence) => this.#say(sentence),
        clientRefused: (diagnostics) => this.#say(`${this.#printed(diagnostics)}The generated client stays as it was.`),
        typesChecked: (diagnostics) => this.#typesChecked(diagnostics),
        note: (sentence) => this.#say(sentence),
      },
    );
    this.#builder = new AppBuilder(this.#follower.workspace, "local");
    this.#plan = new ReleasePlan(root, io.env);
  }

  /** Follows the files until the loop is stopped. Rejects when nothing is declared, or services cannot be started at all. */
  async run(): Promise<never> {
    const failed = new Promise<never>((_resolve, reject) => (this.#fail = reject));
    await this.#follower.start((contents) => {
      this.#follower.noteEnvironment();
      return this.#goLive(contents, performance.now());
    });
    return failed;
  }

  /** Ends the loop after what is being done, and then what runs. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#follower.close();
    const running = await this.#follower.saves.between(async () => this.#running);
    await running?.topology.stop();
    await running?.platform.close();
  }

  /** Ends what runs at once. */
  kill(): void {
    this.#running?.topology.kill();
  }

  /** Files that no service is made of are left alone. */
  async #apply(changes: readonly Change[]): Promise<void> {
    if (this.#stopped) return;
    const started = performance.now();
    const { workspace, saves } = this.#follower;
    const sorted = workspace.classify(changes);
    const { modules, templates, assets, environment, project } = sorted;
    const concerns = project || environment || [modules, templates, assets].some((files) => files.length > 0);
    if (!concerns && !saves.continues) return workspace.rebuildSites(changes);
    if (project) this.#builder.forget();
    if (environment) this.#follower.noteEnvironment();
    await this.#follower.update(sorted);
    // A service has its own copy of its site, so a build command is not to be in the middle of it.
    await this.#goLive(await workspace.settled(), started);
  }

  async #goLive({ app, diagnostics }: Contents, started: number): Promise<void> {
    if (this.#isOver()) return;
    if (diagnostics.length > 0) return this.#refused(diagnostics);
    const built = await this.#build(app);
    if (built === undefined || this.#isOver()) return;
    if (this.#running === undefined) await this.#launch(built);
    else await this.#deploy(this.#running, built, started);
    this.#follower.live();
  }

  #isOver(): boolean {
    return this.#stopped || this.#follower.saves.isOvertaken();
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
      this.#running = await launch({ built, plan: this.#plan }, this.#place, this.#io);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #deploy({ topology }: RunningServices, built: BuiltApp, started: number): Promise<void> {
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

  /** Prints what is new. */
  #typesChecked(wrong: Contents["diagnostics"]): void {
    const text = JSON.stringify(wrong);
    if (wrong.length > 0 && text !== this.#reported) {
      this.#say(`${this.#printed(wrong)}Type errors do not keep the application from running.`);
    }
    this.#reported = text;
  }

  #printed(diagnostics: Contents["diagnostics"]): string {
    return printText(diagnostics, textOptions(this.#place.root, this.#io));
  }

  #say(sentence: string): void {
    if (!this.#stopped) this.#io.out.write(`${sentence}\n`);
  }
}
