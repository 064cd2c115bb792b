import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Analysis } from "../analysis/index.ts";
import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { newCallKeys, type CallKeys } from "../platform/calls.ts";
import type { Exit, LoadOutcome } from "./app-process.ts";
import { sortChanges } from "./changes.ts";
import { routeClashes, type RouteClash } from "./clashes.ts";
import { Engine, sitesOf, type Built } from "./engine.ts";
import { readEnv } from "./env.ts";
import { listen, type Listener } from "./listener.ts";
import { initialState, type LiveState, type Problem } from "./live/state.ts";
import type { OwnHosts } from "./own-host.ts";
import { diagnosticProblem, exitSentence, failureProblem } from "./problems.ts";
import type { Failure, Inspect, Saved, Snapshot } from "./protocol.ts";
import { announce, withdraw } from "./running.ts";
import { SiteBuilds } from "./site-builds.ts";
import { Supervisor } from "./supervisor.ts";
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

/** What the person at the terminal is told, one method an event. */
export interface DevConsole {
  ready(at: { readonly port: number; readonly ms: number; readonly app: App }): void;
  /** A change is live. */
  reloaded(what: { readonly files: readonly string[]; readonly ms: number }): void;
  /** The code on disk does not go live, because of what analysis found or because it cannot run. */
  refused(diagnostics: readonly Diagnostic[], standing: Standing): void;
  failed(failure: Failure, standing: Standing): void;
  /** The application ended; a sentence on why and what follows, and where its code was. */
  crashed(sentence: string, stack: string | undefined): void;
  /** TypeScript's findings, which keep nothing from running. */
  typeErrors(diagnostics: readonly Diagnostic[]): void;
  clashes(clashes: readonly RouteClash[]): void;
  buildFailed(why: { readonly message: string; readonly output: string }): void;
  /** Anything else, a sentence. */
  note(sentence: string): void;
}

/** Whether an earlier version goes on answering, and where. */
export interface Standing {
  readonly serving: boolean;
  readonly port: number;
}

export interface DevServer {
  readonly port: number;
  /** Lets requests finish, then ends everything. */
  stop(): Promise<void>;
}

/** There is nothing to run here. */
export class NoDeclarations extends Error {}

/** Serves the application at `root` and follows its files. Rejects when the port is taken or nothing is declared. */
export async function startDev(options: DevOptions): Promise<DevServer> {
  const started = performance.now();
  const listener = await listen(options.port, options.hosts, initialState);
  const loop = new DevLoop(options, listener);
  options.signal.addEventListener("abort", () => loop.kill());
  try {
    await loop.start(started);
  } catch (error) {
    loop.kill();
    throw error;
  }
  return { port: listener.address.port, stop: () => loop.stop() };
}

/** Saves in a row that are left to a newer one. */
const mostOvertaken = 5;

/** Milliseconds between a change that went live and the check of its types. */
const typesAfter = 300;

class DevLoop {
  readonly #options: DevOptions;
  readonly #listener: Listener;
  readonly #supervisor: Supervisor;
  readonly #engine: Engine;
  readonly #csrfKey: string = randomBytes(32).toString("base64");
  /** Of the commands of the same user. */
  readonly #callKeys: CallKeys = newCallKeys();
  #watcher: Watcher | undefined;
  readonly #builds: SiteBuilds;
  #state: LiveState = initialState;
  #built: Built | undefined;
  /** What went live last. */
  #live: Snapshot | undefined;
  #reportedClashes = "";
  #work: Promise<unknown> = Promise.resolve();
  #waiting: Change[] = [];
  /** What changed since the application's process was last told. */
  #untold: Change[] = [];
  /** Saves in a row that a newer one has overtaken. */
  #overtaken = 0;
  /** Ends the check of types that a newer save made pointless. */
  #typeCheck: AbortController = new AbortController();
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
        problemsChanged: () => this.#publish({}),
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
        crashed: (exit) => this.#crashed(exit, "it is started again"),
        recovered: () => console.note("the application answers again"),
        gaveUp: (exit) => this.#gaveUp(exit),
        hung: (seconds) =>
          console.note(
            `the application has not answered for ${seconds} seconds: is there an endless loop? Saving a fix starts it anew`,
          ),
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
    await this.#inTurn(async () => {
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
    this.#typeCheck.abort();
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
    if (first) this.#background(this.#inTurn(() => this.#apply(this.#waiting.splice(0))));
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
      this.#typeCheck.abort();
      this.#supervisor.ahead(modules.map(({ path }) => path));
      this.#untold.push(...changes);
      const analysis = project ? await this.#engine.reopen() : await this.#engine.update(modules);
      this.#builds.follow(analysis.app, changes);
      const kind = project || environment ? "restarted" : "reloaded";
      await this.#goLive(this.#build(analysis), started, kind);
      return;
    }
    if (this.#built) this.#builds.follow(this.#built.app, changes);
    if (assets.length > 0) this.#assetsChanged(assets, started);
  }

  /** Makes what was built the application that answers, or says why it is not. */
  async #goLive(built: Built, started: number, kind: "ready" | "reloaded" | "restarted"): Promise<void> {
    if (this.#stopped) return;
    const { console } = this.#options;
    this.#built = built;
    if (kind === "reloaded" && this.#isOvertaken()) return;
    if (built.snapshot === undefined) {
      this.#publish({ errors: built.diagnostics.map((each) => this.#problem(each)) });
      if (!this.#supervisor.serving) this.#listener.route("explain");
      console.refused(built.diagnostics, this.#standing());
      return;
    }
    const build = this.#state.build + 1;
    const told = this.#untold.splice(0);
    const saved = savedIn(told);
    const outcome =
      kind === "restarted"
        ? await this.#supervisor.restart(built.snapshot, build)
        : await this.#supervisor.load(built.snapshot, saved, build);
    if (this.#stopped) return;
    if (outcome.kind !== "loaded") return this.#isOvertaken() ? undefined : this.#loadFailed(outcome);
    const ms = performance.now() - started;
    const first = this.#live === undefined;
    this.#live = built.snapshot;
    this.#publish({ build, errors: [] });
    if (first) console.ready({ port: this.#listener.address.port, ms, app: built.app });
    else console.reloaded({ files: this.#names(told), ms });
    this.#reportClashes(built.app);
    this.#background(this.#checkTypes(built.app));
  }

  /** True when a newer save waits: what was read is no longer on disk, and goes live with it. Not for ever, should saves never end. */
  #isOvertaken(): boolean {
    this.#overtaken = this.#waiting.length > 0 ? this.#overtaken + 1 : 0;
    return this.#overtaken > 0 && this.#overtaken <= mostOvertaken;
  }

  #loadFailed(outcome: Exclude<LoadOutcome, { kind: "loaded" }>): void {
    const failure =
      outcome.kind === "failed" ? outcome.failure : { message: exitSentence(outcome.exit), ...outcome.exit.failure };
    this.#publish({ errors: [failureProblem(failure, this.#options.root, this.#source)] });
    this.#options.console.failed(failure, this.#standing());
  }

  #assetsChanged(assets: readonly Change[], started: number): void {
    const { errors, build, styles } = this.#state;
    if (errors.length > 0) return;
    const onlyStyles = assets.every(({ path }) => path.endsWith(".css"));
    this.#publish(onlyStyles ? { styles: styles + 1 } : { build: build + 1 });
    this.#options.console.reloaded({ files: this.#names(assets), ms: performance.now() - started });
  }

  /** After a pause: whoever saves twice in a row wants the second one live before the first one's types are checked. */
  async #checkTypes(app: App): Promise<void> {
    const { signal } = (this.#typeCheck = new AbortController());
    try {
      await setTimeout(typesAfter, undefined, { signal });
      await this.#builds.idle();
      const diagnostics = await this.#engine.typeDiagnostics(app, signal);
      if (!signal.aborted) this.#typesChecked(diagnostics);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #typesChecked(diagnostics: readonly Diagnostic[]): void {
    const warnings = diagnostics.map((each) => this.#problem(each));
    if (JSON.stringify(warnings) === JSON.stringify(this.#state.warnings)) return;
    this.#publish({ warnings });
    this.#options.console.typeErrors(diagnostics);
  }

  #build(analysis: Analysis): Built {
    return this.#engine.build(analysis, (site) => this.#builds.isRunning(site));
  }

  #crashed(exit: Exit, next: string): void {
    this.#options.console.crashed(`${exitSentence(exit)}; ${next}`, exit.failure?.stack);
  }

  #gaveUp(exit: Exit): void {
    this.#crashed(exit, "saving a fix starts it again");
    const failure = exit.failure ?? { message: exitSentence(exit) };
    this.#publish({ errors: [failureProblem(failure, this.#options.root, this.#source)] });
  }

  /** The two routes answer different requests once deployed, so this is no error. */
  #reportClashes(app: App): void {
    const clashes = routeClashes(app);
    const key = clashes.map(({ kept, lost }) => `${kept.route.pattern} ${lost.declaration.module}`).join("\n");
    if (key !== "" && key !== this.#reportedClashes) this.#options.console.clashes(clashes);
    this.#reportedClashes = key;
  }

  #publish(change: Partial<LiveState>): void {
    const own = change.errors ?? this.#state.errors.filter(({ code }) => code !== "build");
    this.#state = { ...this.#state, ...change, errors: [...own, ...this.#builds.problems] };
    this.#listener.publish(this.#state);
    this.#supervisor.publish(this.#state);
  }

  #standing(): Standing {
    return { serving: this.#supervisor.serving, port: this.#listener.address.port };
  }

  #problem(diagnostic: Diagnostic): Problem {
    return diagnosticProblem(diagnostic, this.#source);
  }

  readonly #source = (path: string): string | undefined => {
    try {
      return readFileSync(join(this.#options.root, path), "utf8");
    } catch {
      return undefined;
    }
  };

  #names(changes: readonly Change[]): string[] {
    const nameOf = (change: Change): string =>
      this.#builds.nameOf(change) ?? relative(this.#options.root, change.path).split(sep).join("/");
    return [...new Set(changes.map(nameOf))];
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#work.then(work);
    this.#work = turn.catch(() => {});
    return turn;
  }

  /** What nobody waits for: a failure is fw's own, unless everything is being closed anyway. */
  #background(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      const stack = error instanceof Error ? error.stack : String(error);
      if (!this.#stopped) this.#options.console.note(`fw's own mistake, please report it: ${stack}`);
    });
  }
}

function savedIn(changes: readonly Change[]): Saved {
  return { changed: changes.map(({ path }) => path), moved: changes.some(({ kind }) => kind !== "changed") };
}

function watchSentence(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOSPC") {
    return "the system allows no more file watches, so some changes go unseen; raise fs.inotify.max_user_watches (sysctl)";
  }
  return `some changes go unseen: ${error.message}`;
}
