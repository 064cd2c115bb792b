import { randomBytes } from "node:crypto";
import type { App } from "../model/app.ts";
import { SchemaKeeper } from "../evolution/schema-keeper.ts";
import { newCallKeys, type CallKeys } from "../platform/calls.ts";
import { endStage } from "../lib/dev-stage.ts";
import { describeLocation, mainDataSentence, type DataLocation, type LocateData } from "../workspace/branch-data.ts";
import { watchHead } from "../workspace/git/watch-head.ts";
import { readEnv } from "../workspace/env.ts";
import { Follower } from "../workspace/follower.ts";
import { devServerOf } from "../workspace/announcement.ts";
import type { Change } from "../workspace/watch/watcher.ts";
import type { Contents, Workspace } from "../workspace/workspace.ts";
import { AppProcess } from "./app/process.ts";
import { Supervisor } from "./app/supervisor.ts";
import type { DevConsole } from "./console.ts";
import { Display } from "./display.ts";
import type { Listener } from "./port/listener.ts";
import { savedIn, type Activation, type PreparedModules } from "./protocol.ts";

export interface DevOptions extends Pick<Activation, "root" | "hosts" | "seeds" | "inspect"> {
  /** 0 for any free port. */
  readonly port: number;
  readonly locateData: LocateData;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly console: DevConsole;
  /** Stops everything at once, even during startup. */
  readonly signal: AbortSignal;
}

/** Turns saved files into a live application while the dev server runs. */
export class DevLoop {
  #data: DataLocation;
  #schema: SchemaKeeper;
  #stopWatchingHead: () => void = () => {};
  readonly #options: DevOptions;
  readonly #listener: Listener;
  readonly #supervisor: Supervisor;
  readonly #follower: Follower;
  readonly #csrfKey: string = randomBytes(32).toString("base64");
  /** Keys that authenticate commands of the same user. */
  readonly #callKeys: CallKeys = newCallKeys();
  #everLive = false;
  /** Changes that no load has received yet. */
  #untold: Change[] = [];
  readonly #display: Display;
  #stopped = false;

  constructor(options: DevOptions, listener: Listener) {
    const { root, env, console } = options;
    this.#options = options;
    this.#listener = listener;
    this.#follower = new Follower(
      { root, env },
      {
        saved: (changes) => this.#apply(changes),
        failed: (why) => {
          console.buildFailed(why);
          this.#display.buildFailuresChanged();
        },
        recovered: (sentence) => {
          console.note(sentence);
          this.#display.buildFailuresChanged();
        },
        clientRefused: (diagnostics) => console.clientRefused(diagnostics),
        typesChecked: (diagnostics) => this.#display.typesChecked(diagnostics),
        note: (sentence) => console.note(sentence),
      },
    );
    this.#data = options.locateData();
    this.#schema = new SchemaKeeper(this.#data.directory);
    this.#supervisor = new Supervisor({
      spawn: () => new AppProcess(root),
      activation: () => ({
        root,
        hosts: options.hosts,
        data: this.#data,
        // Requested seeds run only once: later processes replace the first after a crash or a change.
        seeds: options.seeds === "always" && this.#everLive ? "never" : options.seeds,
        env: readEnv(root, env),
        csrfKey: this.#csrfKey,
        callKey: this.#callKeys.publicKey,
        inspect: options.inspect,
      }),
      route: (to) => listener.route(to),
      events: {
        crashed: (exit) => this.#display.crashed(exit),
        recovered: () => console.note("the application responds again"),
        gaveUp: (exit) => this.#display.gaveUp(exit),
        slow: (seconds) =>
          console.note(
            `the modules have not finished evaluating after ${seconds} seconds: does one await something at its top level?`,
          ),
        hung: (seconds) =>
          console.note(
            `the application has not responded for ${seconds} seconds: is there an endless loop? Save a fix to restart it`,
          ),
      },
    });
    this.#display = new Display({
      root,
      console,
      standing: () => ({ serving: this.#supervisor.serving, port: listener.address.port }),
      failedBuilds: () => this.#workspace.failedBuilds,
      publish: (state) => {
        listener.publish(state);
        this.#supervisor.publish(state);
      },
    });
  }

  get #workspace(): Workspace {
    return this.#follower.workspace;
  }

  /** Rejects with NoDeclarations if nothing is declared. */
  async start(started: number): Promise<void> {
    const { root } = this.#options;
    this.#stopWatchingHead = watchHead(root, () => {
      if (this.#isOtherData(this.#options.locateData())) this.#follower.saves.add([{ path: root, kind: "changed" }]);
    });
    await this.#follower.start(
      async (contents) => {
        await this.#workspace.generateEndpoints((files) => this.#prepare({ files }));
        await this.#goLive(contents, started, "ready");
      },
      (sources) => this.#prepare({ sources }),
    );
    const { port } = this.#listener.address;
    const { privateKey: callKey } = this.#callKeys;
    devServerOf(root).announce({ port, host: this.#options.hosts.listensOn, pid: process.pid, callKey });
  }

  /** Has the application's process prepare modules while others are still analyzed and generated. */
  #prepare(modules: PreparedModules): void {
    // A debugger needs modules that refer to source maps, so prepared ones would be useless.
    if (this.#options.inspect === undefined) this.#supervisor.prepare(modules);
  }

  async stop(): Promise<void> {
    this.#schema.flush();
    this.#end();
    await this.#supervisor.stop();
  }

  kill(): void {
    this.#end();
    this.#supervisor.kill();
  }

  #end(): void {
    this.#stopped = true;
    devServerOf(this.#options.root).withdraw();
    this.#listener.close();
    this.#stopWatchingHead();
    this.#follower.close();
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    const started = performance.now();
    const sorted = this.#workspace.classify(changes);
    const { modules, templates, assets, environment, project } = sorted;
    const restarts = project || environment || this.#isOtherData(this.#options.locateData());
    if (restarts || modules.length > 0 || templates.length > 0 || this.#follower.saves.continues) {
      endStage("watch");
      this.#supervisor.ahead(modules.map(({ path }) => path));
      this.#untold.push(...changes);
      const contents = await this.#follower.update(sorted);
      endStage("analyse");
      await this.#goLive(contents, started, restarts ? "restarted" : "reloaded");
      return;
    }
    this.#workspace.rebuildSites(changes);
    if (assets.length > 0 && this.#display.assetsChanged(assets.map(({ path }) => path)))
      this.#options.console.reloaded({ files: this.#workspace.names(assets), ms: performance.now() - started });
  }

  /** Makes the application on disk live, or reports why that is impossible. */
  async #goLive(contents: Contents, started: number, kind: "ready" | "reloaded" | "restarted"): Promise<void> {
    if (this.#stopped) return;
    const { console } = this.#options;
    if (kind === "reloaded" && this.#follower.saves.isOvertaken()) return;
    if (kind !== "reloaded") this.#follower.noteEnvironment();
    const snapshot = this.#workspace.snapshot();
    endStage("generate");
    if (snapshot === undefined) {
      this.#display.showProblems(contents.diagnostics);
      if (!this.#supervisor.serving) this.#listener.route("explain");
      return;
    }
    const build = this.#display.build + 1;
    const changes = this.#untold.splice(0);
    const before = this.#data;
    this.#data = this.#options.locateData();
    const opensData = !this.#everLive || this.#isOtherData(before);
    const outcome = await (kind === "restarted" || (this.#everLive && opensData)
      ? this.#supervisor.restart(snapshot, build, this.#follower.saves.givesWay)
      : this.#supervisor.load(snapshot, savedIn(changes), build, this.#follower.saves.givesWay));
    if (this.#stopped) return;
    if (outcome.kind !== "loaded") this.#data = before;
    if (outcome.kind === "overtaken") {
      this.#untold.unshift(...changes);
      return console.note("a newer save went first, because the modules did not finish evaluating in time");
    }
    if (outcome.kind !== "loaded")
      return this.#follower.saves.isOvertaken() ? undefined : this.#display.failed(outcome);
    this.#display.live(build);
    this.#announce(contents.app, changes, performance.now() - started);
    if (opensData) this.#useData(before);
    this.#everLive = true;
    this.#display.clashes(contents.app);
    this.#follower.live();
    this.#schema.keep(contents.app);
  }

  #announce(app: App, changes: readonly Change[], ms: number): void {
    const { console } = this.#options;
    if (this.#everLive) console.reloaded({ files: this.#workspace.names(changes), ms });
    else console.ready({ port: this.#listener.address.port, ms, app, sources: this.#workspace.sources });
  }

  #isOtherData({ directory }: DataLocation): boolean {
    return directory !== this.#data.directory;
  }

  #useData(before: DataLocation): void {
    const { root, console } = this.#options;
    if (this.#isOtherData(before)) {
      this.#schema.flush();
      this.#schema = new SchemaKeeper(this.#data.directory);
    }
    const sentence = describeLocation(root, this.#data) ?? (this.#everLive ? mainDataSentence : undefined);
    if (sentence !== undefined) console.note(sentence);
  }
}
