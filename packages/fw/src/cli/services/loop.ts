import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BuiltApp } from "../../build/manifest.ts";
import { unsetSecret } from "../../declare/secret.ts";
import { SchemaKeeper } from "../../evolution/schema-keeper.ts";
import { drainMs } from "../../lib/limits.ts";
import { Overtaken } from "../../lib/newest-only.ts";
import { listOf } from "../../lib/suggest.ts";
import { atMost } from "../../platform/clock.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { SeedMode } from "../../workspace/seed-mode.ts";
import { Follower } from "../../workspace/follower.ts";
import { describeLocation, mainDataSentence, type DataLocation, type LocateData } from "../../workspace/branch-data.ts";
import { concernsApplication } from "../../workspace/changes.ts";
import { watchHead } from "../../workspace/git/watch-head.ts";
import type { Change } from "../../workspace/watch/watcher.ts";
import type { Contents } from "../../workspace/workspace.ts";
import { AppBuilder } from "../build/builder.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { stillRuns } from "../print/still-runs.ts";
import { printText, textOptions } from "../print/text.ts";
import { openServices, type OpenServices, type ServicesLocation } from "./launch.ts";
import { ReleasePlan } from "./plan.ts";

export interface ServicesSettings extends ServicesLocation {
  readonly locateData: LocateData;
  readonly seeds: SeedMode;
}

/** Builds the services after every save and deploys the changed ones. */
export class ServicesLoop {
  readonly #place: ServicesSettings;
  readonly #io: IO;
  readonly #follower: Follower;
  readonly #builder: AppBuilder;
  readonly #plan: ReleasePlan;
  #data: DataLocation;
  #schema: SchemaKeeper;
  #stopWatchingHead: () => void = () => {};
  #seeds: SeedMode;
  #running: OpenServices | undefined;
  /** The services that are stopping; a second interrupt kills them. */
  #closing: OpenServices | undefined;
  #starting: OpenServices | undefined;
  /** The most recently printed type errors. */
  #reported = "";
  #fail: (error: unknown) => void = () => {};
  /** Aborts when the loop is stopped. */
  readonly #ending = new AbortController();

  constructor(place: ServicesSettings, io: IO) {
    const { root } = place;
    this.#place = place;
    this.#io = io;
    this.#follower = new Follower(
      { root, env: io.env },
      {
        saved: (changes) => this.#apply(changes),
        failed: ({ message, output }) => this.#say([message, output.trimEnd()].join("\n").trimEnd()),
        recovered: (sentence) => this.#say(sentence),
        clientRefused: (diagnostics) =>
          this.#say(`${this.#describeProblems(diagnostics)}The generated client was not updated.`),
        typesChecked: (diagnostics) => this.#typesChecked(diagnostics),
        note: (sentence) => this.#say(sentence),
      },
    );
    this.#builder = new AppBuilder(this.#follower.workspace, "local");
    this.#plan = new ReleasePlan(root, io.env);
    this.#seeds = place.seeds;
    this.#data = place.locateData();
    this.#schema = new SchemaKeeper(this.#data.directory);
  }

  /**
   * Follows the files until the loop is stopped. Rejects if nothing is declared or the services cannot start at all.
   */
  async run(): Promise<never> {
    const { root } = this.#place;
    this.#stopWatchingHead = watchHead(root, () => {
      if (this.#hasOtherData()) this.#follower.saves.add([{ path: root, kind: "changed" }]);
    });
    this.#io.progress.step("checking the application");
    const failed = new Promise<never>((_resolve, reject) => (this.#fail = reject));
    await this.#follower.start((contents) => {
      this.#follower.noteEnvironment();
      return this.#goLive(contents, performance.now());
    });
    return failed;
  }

  /** Interrupts a start or deploy in progress, then stops the services. */
  async stop(): Promise<void> {
    this.#schema.flush();
    this.#ending.abort(new Error("the services are stopping"));
    this.#stopWatchingHead();
    this.#follower.close();
    // Wait for a site's build command; nothing starts afterwards.
    const idle = atMost(
      this.#follower.saves.runExclusively(async () => {}),
      drainMs,
    );
    await Promise.all([idle, this.#close()]);
  }

  async #close(): Promise<void> {
    this.#closing = this.#running;
    this.#running = undefined;
    await this.#closing?.topology.stop();
    await this.#closing?.platform.close();
    this.#closing = undefined;
  }

  /**
   * Runs the seeds if the data is new or the user asked for them. They run in one process before the services start,
   * because builds of services do not contain seeds.
   */
  async #seed({ app }: BuiltApp, data: DataLocation, signal: AbortSignal): Promise<void> {
    const seeds = this.#seeds;
    const isNew = data.copyOf === undefined && !existsSync(join(data.directory, "store"));
    if (allOfKind(app.packages, "seed").length === 0 || (seeds !== "always" && !isNew)) return;
    this.#seeds = "new";
    const { startQuietly } = await import("../dev/quiet.ts");
    const server = await startQuietly(this.#place.root, this.#io, signal, { seeds, locate: () => data });
    await server.stop();
  }

  #useData(data: DataLocation): void {
    if (data.directory === this.#data.directory) return;
    this.#schema.flush();
    this.#data = data;
    this.#schema = new SchemaKeeper(data.directory);
  }

  kill(): void {
    (this.#running ?? this.#closing ?? this.#starting)?.topology.kill();
  }

  /** Applies changes, except to files that no service contains. */
  async #apply(changes: readonly Change[]): Promise<void> {
    if (this.#ending.signal.aborted) return;
    const started = performance.now();
    const { workspace, saves } = this.#follower;
    const sorted = workspace.classify(changes);
    const { environment, project } = sorted;
    if (!concernsApplication(sorted) && !this.#hasOtherData() && !saves.continues)
      return workspace.rebuildSites(changes);
    if (project) this.#builder.forget();
    if (environment) this.#follower.noteEnvironment();
    await this.#follower.update(sorted);
    // Wait for a site's build command, because a service copies its site.
    await this.#goLive(await workspace.settled(), started);
  }

  async #goLive({ app, diagnostics }: Contents, started: number): Promise<void> {
    if (this.#isOver()) return;
    if (diagnostics.length > 0) return this.#refused(diagnostics);
    const missing = this.#plan.missingSecrets(app);
    if (missing.length > 0) return this.#withoutSecrets(missing);
    const built = await this.#build(app);
    if (built === undefined || this.#isOver()) return;
    try {
      if (this.#running === undefined || this.#hasOtherData()) await this.#launch(built);
      else await this.#deploy(this.#running, built, started);
      this.#follower.live();
      this.#schema.keep(app);
    } catch (error) {
      if (error instanceof Overtaken) this.#say("The start of the services was cancelled by a newer save.");
      else if (!this.#ending.signal.aborted) throw error;
    }
  }

  /** Aborts if the loop is stopped, or once a newer save has waited for a while. */
  get #signal(): AbortSignal {
    return AbortSignal.any([this.#ending.signal, this.#follower.saves.givesWay]);
  }

  #isOver(): boolean {
    return this.#ending.signal.aborted || this.#follower.saves.isOvertaken();
  }

  /** Prints the reason and returns undefined if a service cannot be bundled. */
  async #build(app: Contents["app"]): Promise<BuiltApp | undefined> {
    try {
      return await this.#builder.build(app, this.#running ? undefined : this.#io.progress);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#say(error.message);
      return this.#sayWhatHappensNext();
    }
  }

  #hasOtherData(): boolean {
    return this.#place.locateData().directory !== this.#data.directory;
  }

  /**
   * Opens the data and starts the services. After a switch to another branch, first stops the services on the previous
   * branch's data.
   */
  async #launch(built: BuiltApp): Promise<void> {
    const signal = this.#signal;
    const port = this.#running?.topology.port ?? this.#place.port;
    const data = this.#place.locateData();
    const sentence = describeLocation(this.#place.root, data) ?? (this.#running && mainDataSentence);
    if (sentence !== undefined) this.#say(sentence);
    try {
      await this.#close();
      this.#useData(data);
      await this.#seed(built, data, signal);
      this.#starting = await openServices(
        { built, plan: this.#plan, data },
        { ...this.#place, port },
        this.#io,
        signal,
      );
      await this.#starting.start(signal);
      this.#starting.describe(this.#running === undefined ? this.#follower.workspace.sources : undefined);
      this.#running = this.#starting;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#fail(error);
    } finally {
      this.#starting = undefined;
    }
  }

  async #deploy({ topology }: OpenServices, built: BuiltApp, started: number): Promise<void> {
    const releases = await this.#plan.releasesOf(built);
    const { changedServices, failed } = await topology.deploy(built.app, releases, this.#signal);
    if (failed.length > 0)
      return this.#say(`${listOf(failed, "and")} did not start; the previous versions keep running`);
    const ms = Math.round(performance.now() - started);
    if (changedServices.length === 0) this.#say(`the saved files changed no service (${ms} ms)`);
    else this.#say(`live in ${listOf(changedServices, "and")} (${ms} ms)`);
  }

  #refused(diagnostics: Contents["diagnostics"]): void {
    this.#say(this.#describeProblems(diagnostics));
    this.#sayWhatHappensNext();
  }

  /** Reports unset secrets. As with a single process, nothing starts until every declared secret is set. */
  #withoutSecrets(names: readonly string[]): void {
    this.#say(names.map(unsetSecret).join("\n"));
    this.#sayWhatHappensNext();
  }

  #sayWhatHappensNext(): undefined {
    this.#say(this.#running ? "The last good version keeps running." : "Save a fix and the services start.");
  }

  /** Prints type errors if they changed. */
  #typesChecked(wrong: Contents["diagnostics"]): void {
    const text = JSON.stringify(wrong);
    if (wrong.length > 0 && text !== this.#reported) {
      this.#say(`${this.#describeProblems(wrong)}${stillRuns(wrong)}`);
    }
    this.#reported = text;
  }

  #describeProblems(diagnostics: Contents["diagnostics"]): string {
    return printText(diagnostics, textOptions(this.#place.root, this.#io));
  }

  #say(sentence: string): void {
    if (this.#ending.signal.aborted) return;
    if (!this.#running) this.#io.progress.end();
    this.#io.out.write(`${sentence}\n`);
  }
}
