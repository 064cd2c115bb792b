import { drainMs } from "../../lib/limits.ts";
import { SerialQueue } from "../../lib/serial-queue.ts";
import type { LiveState } from "../live/state.ts";
import { emptySnapshot, type Snapshot } from "../../workspace/snapshot.ts";
import { deltaBetween, type Activation, type PreparedModules, type Saved } from "../protocol.ts";
import type { LoadOptions, LoadOutcome } from "./pending-load.ts";
import type { AppProcess, Exit, Target } from "./process.ts";

/** The methods of a process that a supervisor calls. */
export type SupervisedProcess = Pick<AppProcess, keyof AppProcess>;

export interface SupervisorOptions {
  readonly spawn: () => SupervisedProcess;
  readonly activation: () => Activation;
  /** Passes connections to the running application, queues them, or responds with the reason why none is running. */
  readonly route: (to: "wait" | "explain" | Target) => void;
  readonly events: SupervisorEvents;
}

interface SupervisorEvents {
  /** The application exited by itself and is being restarted. */
  crashed(exit: Exit): void;
  recovered(): void;
  /** The application crashed too often; only a change restarts it. */
  gaveUp(exit: Exit): void;
  /** The application has not responded for some seconds. */
  hung(seconds: number): void;
  /** The application's modules are still evaluating after this many seconds. */
  slow(seconds: number): void;
}

const pingEvery = 1_000;
/** Missed pings after which the application counts as hung. After `endedAfter`, a loading process is killed. */
const hungAfter = 3;
const endedAfter = 5;
/**
 * The number of consecutive crashes after which restarts stop. A crash at least `crashWindow` milliseconds after a
 * start counts as the first again.
 */
const mostCrashes = 3;
const crashWindow = 5_000;
/**
 * Milliseconds to wait after a save or a restart before starting the standby, which would otherwise compete for the
 * processors with requests and the type check.
 */
const standbyAfter = crashWindow;

const endless = {
  message: `the application's modules did not finish evaluating within ${endedAfter} seconds: is there an endless loop?`,
};

interface Running {
  readonly process: SupervisedProcess;
  /** On the clock of `performance.now`. */
  readonly since: number;
  snapshot: Snapshot;
  build: number;
}

/**
 * Runs the application in one process. After the first save or restart, keeps a standby to replace it at once. An
 * unchanged application rarely crashes and needs no standby.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #standby: SupervisedProcess | undefined;
  /** The generated modules that the standby has received in advance. */
  #prepared: Record<string, string> = {};
  #preparing: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #running: Running | undefined;
  #draining: Set<SupervisedProcess> = new Set();
  #loading: SupervisedProcess | undefined;
  readonly #queue: SerialQueue = new SerialQueue();
  #crashes = 0;
  /** Aborts the restart after a crash if a newer save should load instead. */
  #recovering = new AbortController();
  #state: LiveState | undefined;
  #hung = false;
  /** True while modules of a save that did not go live may still be evaluating in the running process. */
  #isBusy = false;
  #stopped = false;
  readonly #pings: NodeJS.Timeout;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#standby = this.#spawnStandby();
    this.#pings = setInterval(() => this.#checkHealth(), pingEvery);
  }

  /** True while some version of the application responds to requests. */
  get serving(): boolean {
    return this.#running !== undefined;
  }

  /** Passes modules of the first load to the standby, which prepares them while the rest is analyzed. */
  prepare(modules: PreparedModules): void {
    this.#standby?.prepare(modules);
    Object.assign(this.#prepared, modules.files);
  }

  /** Announces files that the next load will list as changed. */
  ahead(changed: readonly string[]): void {
    this.#running?.process.ahead(changed);
  }

  /** Loads the application on disk. If it cannot run, the previous version keeps responding. */
  load(snapshot: Snapshot, saved: Saved, build: number, givesWay: AbortSignal): Promise<LoadOutcome> {
    this.#crashes = 0;
    this.#recovering.abort();
    return this.#queue.run(async () => {
      const running = this.#running;
      if (running === undefined || this.#hung || this.#isBusy) return this.#startFresh(snapshot, build, givesWay);
      const delta = deltaBetween(running.snapshot, snapshot, saved);
      running.snapshot = snapshot;
      running.build = build;
      this.#loading = running.process;
      const outcome = await running.process.load(delta, build, this.#loadOptions(givesWay));
      this.#loading = undefined;
      this.#isBusy = outcome.kind === "unfinished" || outcome.kind === "overtaken";
      this.#prepareStandby();
      if (outcome.kind !== "exited") return outcome;
      // The old code may have caused the exit, so load the new code in a fresh process, unless fw killed this one for
      // an endless loop.
      if (!running.process.isEnded) return this.#startFresh(snapshot, build, givesWay);
      this.#options.route("explain");
      return outcome;
    });
  }

  /** Loads the application in a new process, for example after the environment or the dependencies change. */
  restart(snapshot: Snapshot, build: number, givesWay: AbortSignal): Promise<LoadOutcome> {
    this.#crashes = 0;
    this.#recovering.abort();
    return this.#queue.run(() => this.#startFresh(snapshot, build, givesWay));
  }

  publish(state: LiveState): void {
    this.#state = state;
    this.#running?.process.publish(state);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#clearTimers();
    this.#standby?.kill();
    this.#loading?.kill();
    const running = this.#running?.process;
    if (running) this.#drain(running);
    await Promise.all([...this.#draining].map((process) => process.exited));
  }

  kill(): void {
    this.#stopped = true;
    this.#clearTimers();
    for (const process of [this.#standby, this.#loading, this.#running?.process, ...this.#draining]) process?.kill();
  }

  async #startFresh(snapshot: Snapshot, build: number, givesWay: AbortSignal): Promise<LoadOutcome> {
    if (this.#running === undefined) this.#options.route("wait");
    clearTimeout(this.#preparing);
    const standby = this.#standby;
    const process = standby ?? this.#options.spawn();
    const isRestart = this.#hasStarted;
    this.#hasStarted = true;
    this.#standby = undefined;
    this.#loading = process;
    await process.activate(this.#options.activation(), this.#running !== undefined || this.#draining.size > 0);
    const current = process === standby ? { ...emptySnapshot, files: this.#prepared } : emptySnapshot;
    this.#prepared = {};
    const delta = deltaBetween(current, snapshot, { changed: [], pathsChanged: true });
    const outcome = await process.load(delta, build, this.#loadOptions(givesWay));
    this.#loading = undefined;
    // Whatever crashed the application may also have killed the standby: retry once without it.
    if (process === standby && !this.#stopped && wasKilled(process, outcome))
      return this.#startFresh(snapshot, build, givesWay);
    if (this.#stopped) process.kill();
    else if (outcome.kind === "loaded") this.#switchTo({ process, since: performance.now(), snapshot, build });
    else this.#discard(process);
    if (isRestart) this.#prepareStandby();
    return outcome;
  }

  /** Starts a standby after a delay, unless there is one; another save or restart postpones it. */
  #prepareStandby(): void {
    clearTimeout(this.#preparing);
    if (this.#stopped || this.#standby) return;
    this.#preparing = setTimeout(() => (this.#standby = this.#spawnStandby()), standbyAfter);
  }

  /** Starts a standby, and drops it when it exits: preparing a module may crash the transformer. */
  #spawnStandby(): SupervisedProcess {
    const process = this.#options.spawn();
    void process.exited.then(() => (this.#standby = this.#standby === process ? undefined : this.#standby));
    return process;
  }

  #switchTo(next: Running): void {
    const before = this.#running?.process;
    if (this.#hung) before?.kill();
    this.#running = next;
    this.#hung = false;
    this.#isBusy = false;
    if (this.#state) next.process.publish(this.#state);
    this.#options.route((socket) => next.process.connection(socket));
    if (before) this.#drain(before);
    void next.process.exited.then((exit) => this.#onExit(next.process, exit));
  }

  #loadOptions(givesWay: AbortSignal): LoadOptions {
    const { activation, events } = this.#options;
    return { givesWay, slow: activation().inspect ? undefined : (seconds) => events.slow(seconds) };
  }

  #discard(process: SupervisedProcess): void {
    process.kill();
    if (this.#running === undefined) this.#options.route("explain");
  }

  #onExit(process: SupervisedProcess, exit: Exit): void {
    if (this.#running?.process !== process || this.#stopped) return;
    const { since, snapshot, build } = this.#running;
    this.#running = undefined;
    this.#options.route("wait");
    // The load in progress handles the exit of its process.
    if (this.#loading === process) return;
    if (this.#crashesTooOften(since)) {
      this.#options.route("explain");
      return this.#options.events.gaveUp(exit);
    }
    this.#options.events.crashed(exit);
    this.#recovering = new AbortController();
    void this.#queue.run(async () => {
      if (this.#running !== undefined) return;
      const outcome = await this.#startFresh(snapshot, build, this.#recovering.signal);
      if (outcome.kind === "loaded") this.#options.events.recovered();
      else if (outcome.kind === "exited") this.#options.events.gaveUp(outcome.exit);
      else if (outcome.kind !== "overtaken") this.#options.events.gaveUp({ ...exit, failure: outcome.failure });
    });
  }

  #crashesTooOften(since: number): boolean {
    this.#crashes = performance.now() - since < crashWindow ? this.#crashes + 1 : 1;
    return this.#crashes >= mostCrashes;
  }

  #checkHealth(): void {
    const process = this.#loading ?? this.#running?.process;
    // A process that a debugger has paused does not answer pings.
    if (process === undefined || this.#options.activation().inspect) return;
    const missedPings = process.missedPings;
    process.ping();
    if (process === this.#loading) {
      if (missedPings >= endedAfter) process.end(endless);
    } else if (missedPings >= hungAfter !== this.#hung) {
      this.#hung = !this.#hung;
      if (this.#hung) this.#options.events.hung(missedPings);
    }
  }

  #drain(process: SupervisedProcess): void {
    this.#draining.add(process);
    void process.drain(drainMs).then(() => this.#draining.delete(process));
  }

  #clearTimers(): void {
    clearInterval(this.#pings);
    clearTimeout(this.#preparing);
  }
}

/** True if something other than fw killed the process. */
function wasKilled(process: SupervisedProcess, outcome: LoadOutcome): boolean {
  return outcome.kind === "exited" && outcome.exit.signal === "SIGKILL" && !process.isEnded;
}
