import { randomBytes } from "node:crypto";
import { join, relative, sep } from "node:path";
import type { Analysis } from "../analysis/index.ts";
import type { App } from "../model/app.ts";
import { newCallKeys, type CallKeys } from "../platform/calls.ts";
import { Supervisor } from "./app/supervisor.ts";
import { savedIn, sortChanges } from "./changes.ts";
import type { DevConsole } from "./console.ts";
import { Display } from "./display.ts";
import { Engine, sitesOf, type Built } from "./engine.ts";
import { readEnv } from "./env.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import type { Listener } from "./port/listener.ts";
import type { OwnHosts } from "./port/own-host.ts";
import { watchSentence } from "./problems.ts";
import type { Inspect } from "./protocol.ts";
import { announce, withdraw } from "./running.ts";
import { SiteBuilds } from "./site/builds.ts";
import { TypeCheck } from "./type-check.ts";
import { watchFiles, type Change, type Watcher } from "./watch/watcher.ts";

export interface DevOptions {
  /** The application's directory, absolute. */
  readonly root: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly hosts: OwnHosts;
  readonly inspect: Inspect | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly console: DevConsole;
  /** Ends everything at once, also while it starts. */
  readonly signal: AbortSignal;
}

/** There is nothing to run here. */
export class NoDeclarations extends Error {}

/** Saves in a row that are left to a newer one. */
const mostOvertaken = 5;

/** From saved files to a live application, for as long as the dev server runs. */
export class DevLoop {
  readonly #options: DevOptions;
  readonly #listener: Listener;
  readonly #supervisor: Supervisor;
  readonly #engine: Engine;
  readonly #csrfKey: string = randomBytes(32).toString("base64");
  /** Of the commands of the same user. */
  readonly #callKeys: CallKeys = newCallKeys();
  #watcher: Watcher | undefined;
  readonly #builds: SiteBuilds;
  #built: Built | undefined;
  #everLive = false;
  readonly #queue: SerialQueue = new SerialQueue();
  #waiting: Change[] = [];
  /** What changed since the application's process was last told. */
  #untold: Change[] = [];
  /** Saves in a row that a newer one has overtaken. */
  #overtaken = 0;
  readonly #types: TypeCheck = new TypeCheck();
  readonly #display: Display;
  #stopped = false;

  constructor(options: DevOptions, listener: Listener) {
    const { root, console } = options;
    this.#options = options;
    this.#listener = listener;
    this.#engine = new Engine(root);
    this.#builds = new SiteBuilds({
      root,
      env: options.env,
      events: {
        wrote: (changes) => this.#changed(changes),
        failed: (why) => console.buildFailed(why),
        mended: (command) => console.note(`the site's build command works again: ${command}`),
        problemsChanged: () => this.#display.buildProblemsChanged(),
        background: (work) => this.#background(work),
      },
    });
    this.#supervisor = new Supervisor({
      root,
      execArgv: [],
      activation: () => ({
        root,
        hosts: options.hosts,
        env: readEnv(root, options.env),
        csrfKey: this.#csrfKey,
        callKey: this.#callKeys.publicKey,
        inspect: options.inspect,
      }),
      route: (to) => listener.route(to),
      events: {
        crashed: (exit) => this.#display.crashed(exit),
        recovered: () => console.note("the application answers again"),
        gaveUp: (exit) => this.#display.gaveUp(exit),
        hung: (seconds) =>
          console.note(
            `the application has not answered for ${seconds} seconds: is there an endless loop? Saving a fix starts it anew`,
          ),
      },
    });
    this.#display = new Display({
      root,
      console,
      standing: () => ({ serving: this.#supervisor.serving, port: listener.address.port }),
      buildProblems: () => this.#builds.problems,
      publish: (state) => {
        listener.publish(state);
        this.#supervisor.publish(state);
      },
    });
  }

  async start(started: number): Promise<void> {
    const { root, console } = this.#options;
    // Watching comes first: what is saved while the application is read is read again.
    this.#watcher = watchFiles(
      root,
      (changes) => this.#changed(changes.filter((change) => !this.#builds.made(change))),
      (error) => console.note(watchSentence(error)),
    );
    const analysis = await this.#engine.analyze();
    const { app, diagnostics } = analysis;
    if (app.packages.length === 0 && diagnostics.length === 0) throw new NoDeclarations(root);
    await this.#queue.run(async () => {
      await this.#builds.runAll(app);
      await this.#goLive(this.#build(analysis), started, "ready");
    });
    const { port } = this.#listener.address;
    announce(root, { port, host: this.#options.hosts.listensOn, pid: process.pid, callKey: this.#callKeys.privateKey });
  }

  async stop(): Promise<void> {
    this.#end();
    await this.#supervisor.stop();
  }

  kill(): void {
    this.#end();
    this.#supervisor.kill();
  }

  #end(): void {
    this.#stopped = true;
    withdraw(this.#options.root);
    this.#types.abort();
    this.#watcher?.close();
    this.#listener.close();
    this.#engine.close();
    this.#builds.stop();
  }

  /** Bursts that arrive while one is worked on are one. */
  #changed(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const first = this.#waiting.length === 0;
    this.#waiting.push(...changes);
    if (first) this.#background(this.#queue.run(() => this.#apply(this.#waiting.splice(0))));
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    const started = performance.now();
    const { root } = this.#options;
    const sites = this.#built === undefined ? [] : sitesOf(this.#built.app);
    const sorted = sortChanges(
      changes,
      root,
      sites.map((site) => join(root, site.dir)),
    );
    const { modules, templates, assets, environment, project } = sorted;
    const code = modules.length > 0 || templates.length > 0 || this.#overtaken > 0;
    if (project || environment || code) {
      this.#types.abort();
      this.#supervisor.ahead(modules.map(({ path }) => path));
      this.#untold.push(...changes);
      const analysis = project ? await this.#engine.reopen() : await this.#engine.update(modules);
      this.#builds.follow(analysis.app, changes);
      const kind = project || environment ? "restarted" : "reloaded";
      await this.#goLive(this.#build(analysis), started, kind);
      return;
    }
    if (this.#built) this.#builds.follow(this.#built.app, changes);
    if (assets.length > 0 && this.#display.assetsChanged(assets.map(({ path }) => path)))
      this.#options.console.reloaded({ files: this.#names(assets), ms: performance.now() - started });
  }

  /** Makes what was built the application that answers, or says why it is not. */
  async #goLive(built: Built, started: number, kind: "ready" | "reloaded" | "restarted"): Promise<void> {
    if (this.#stopped) return;
    const { console } = this.#options;
    this.#built = built;
    if (kind === "reloaded" && this.#isOvertaken()) return;
    if (built.snapshot === undefined) {
      this.#display.refused(built.diagnostics);
      if (!this.#supervisor.serving) this.#listener.route("explain");
      return;
    }
    const build = this.#display.build + 1;
    const told = this.#untold.splice(0);
    const saved = savedIn(told);
    const outcome =
      kind === "restarted"
        ? await this.#supervisor.restart(built.snapshot, build)
        : await this.#supervisor.load(built.snapshot, saved, build);
    if (this.#stopped) return;
    if (outcome.kind !== "loaded") return this.#isOvertaken() ? undefined : this.#display.failed(outcome);
    const ms = performance.now() - started;
    this.#display.live(build);
    if (this.#everLive) console.reloaded({ files: this.#names(told), ms });
    else console.ready({ port: this.#listener.address.port, ms, app: built.app });
    this.#everLive = true;
    this.#display.clashes(built.app);
    this.#background(this.#checkTypes(built.app));
  }

  /** True when a newer save waits: what was read is no longer on disk, and goes live with it. Not for ever, should saves never end. */
  #isOvertaken(): boolean {
    this.#overtaken = this.#waiting.length > 0 ? this.#overtaken + 1 : 0;
    return this.#overtaken > 0 && this.#overtaken <= mostOvertaken;
  }

  #build(analysis: Analysis): Built {
    return this.#engine.build(analysis, (site) => this.#builds.isRunning(site));
  }

  async #checkTypes(app: App): Promise<void> {
    const diagnostics = await this.#types.run(async (signal) => {
      await this.#builds.idle();
      return this.#engine.typeDiagnostics(app, signal);
    });
    if (diagnostics !== undefined) this.#display.typesChecked(diagnostics);
  }

  #names(changes: readonly Change[]): string[] {
    const nameOf = (change: Change): string =>
      this.#builds.nameOf(change) ?? relative(this.#options.root, change.path).split(sep).join("/");
    return [...new Set(changes.map(nameOf))];
  }

  /** What nobody waits for: a failure is fw's own, unless everything is being closed anyway. */
  #background(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : String(error);
      if (!this.#stopped) this.#options.console.note(`fw's own mistake, please report it: ${stack}`);
    });
  }
}
