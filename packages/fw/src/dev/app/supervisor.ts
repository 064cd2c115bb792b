import { drainMs } from "../../lib/limits.ts";
import { SerialQueue } from "../../lib/serial-queue.ts";
import type { LiveState } from "../live/state.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import { deltaBetween, type Activation, type Saved } from "../protocol.ts";
import type { LoadOptions, LoadOutcome } from "./pending-load.ts";
import { AppProcess, type Exit, type Target } from "./process.ts";

export interface SupervisorOptions {
  readonly root: string;
  readonly activation: () => Activation;
  /** Sends connections to the running application, or makes them wait, or has them told why there is none. */
  readonly route: (to: "wait" | "explain" | Target) => void;
  readonly events: SupervisorEvents;
}

interface SupervisorEvents {
  /** The application ended on its own and is being started again. */
  crashed(exit: Exit): void;
  /** It answers again. */
  recovered(): void;
  /** It ended too often; only a change starts it again. */
  gaveUp(exit: Exit): void;
  /** It has not answered for some seconds. */
  hung(seconds: number): void;
  /** Its modules have not finished evaluating after so many seconds. */
  slow(seconds: number): void;
}

const pingEvery = 1_000;
/** Missed pings after which it is said to hang, and after which an evaluation that hangs is ended. */
const hungAfter = 3;
const endedAfter = 5;
/** Crashes in a row, each within `crashWindow` milliseconds of its start, after which it is not started again by itself. */
const mostCrashes = 3;
const crashWindow = 5_000;
/** Milliseconds after its start in which an application has no standby: the processors are for its first answers and the check of its types. */
const standbyAfter = crashWindow;

const endless = {
  message: `the application's modules did not finish evaluating in ${endedAfter} seconds: is there an endless loop?`,
};

interface Running {
  readonly process: AppProcess;
  /** On the clock of `performance.now`. */
  readonly since: number;
  snapshot: Snapshot;
  build: number;
}

/** Keeps one process that runs the application and, once that has run for a while, one standby that takes over in no time. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #standby: AppProcess | undefined;
  #preparing: NodeJS.Timeout | undefined;
  #running: Running | undefined;
  #draining: Set<AppProcess> = new Set();
  #loading: AppProcess | undefined;
  readonly #queue: SerialQueue = new SerialQueue();
  /** Crashes in a row. */
  #crashes = 0;
  /** Aborts a start after a crash: what was saved since goes first. */
  #recovering = new AbortController();
  #state: LiveState | undefined;
  #hung = false;
  /** True where modules of a save that did not go live may still evaluate in the running process. */
  #isBusy = false;
  #stopped = false;
  readonly #pings: NodeJS.Timeout;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#standby = this.#spawn();
    this.#pings = setInterval(() => this.#checkHealth(), pingEvery);
  }

  /** True while some version of the application answers. */
  get serving(): boolean {
    return this.#running !== undefined;
  }

  /** Tells of files that the next load will name as changed. */
  ahead(changed: readonly string[]): void {
    this.#running?.process.ahead(changed);
  }

  /** Makes the application on disk the one that answers. When it cannot run, the one that answered goes on. */
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
      if (outcome.kind !== "exited") return outcome;
      // What ended it may have been the old code: the new one gets a process of its own, unless it never ends.
      if (!running.process.ended) return this.#startFresh(snapshot, build, givesWay);
      this.#options.route("explain");
      return outcome;
    });
  }

  /** The same in a new process: the environment or the dependencies changed. */
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

  /** Ends everything at once. */
  kill(): void {
    this.#stopped = true;
    this.#clearTimers();
    for (const process of [this.#standby, this.#loading, this.#running?.process, ...this.#draining]) process?.kill();
  }

  async #startFresh(snapshot: Snapshot, build: number, givesWay: AbortSignal): Promise<LoadOutcome> {
    if (this.#running === undefined) this.#options.route("wait");
    clearTimeout(this.#preparing);
    const standby = this.#standby;
    const process = standby ?? this.#spawn();
    this.#standby = undefined;
    this.#loading = process;
    await process.activate(this.#options.activation(), this.#running !== undefined || this.#draining.size > 0);
    const delta = deltaBetween(undefined, snapshot, { changed: [], moved: true });
    const outcome = await process.load(delta, build, this.#loadOptions(givesWay));
    this.#loading = undefined;
    // Whatever killed the application may have killed the standby with it.
    if (process === standby && !this.#stopped && wasKilled(process, outcome))
      return this.#startFresh(snapshot, build, givesWay);
    if (this.#stopped) process.kill();
    else if (outcome.kind === "loaded") this.#switchTo({ process, since: performance.now(), snapshot, build });
    else this.#giveBack(process);
    if (!this.#stopped) this.#preparing = setTimeout(() => (this.#standby = this.#spawn()), standbyAfter);
    return outcome;
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

  #giveBack(process: AppProcess): void {
    process.kill();
    if (this.#running === undefined) this.#options.route("explain");
  }

  #onExit(process: AppProcess, exit: Exit): void {
    if (this.#running?.process !== process || this.#stopped) return;
    const { since, snapshot, build } = this.#running;
    this.#running = undefined;
    this.#options.route("wait");
    // A process that ends while it loads is the load's to judge.
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
    // A process that a debugger has stopped does not answer either.
    if (process === undefined || this.#options.activation().inspect) return;
    const missed = process.missedPings;
    process.ping();
    if (process === this.#loading) {
      if (missed >= endedAfter) process.end(endless);
    } else if (missed >= hungAfter !== this.#hung) {
      this.#hung = !this.#hung;
      if (this.#hung) this.#options.events.hung(missed);
    }
  }

  #drain(process: AppProcess): void {
    this.#draining.add(process);
    void process.drain(drainMs).then(() => this.#draining.delete(process));
  }

  #clearTimers(): void {
    clearInterval(this.#pings);
    clearTimeout(this.#preparing);
  }

  #spawn(): AppProcess {
    return new AppProcess(this.#options.root);
  }
}

/** True when somebody else killed it. */
function wasKilled(process: AppProcess, outcome: LoadOutcome): boolean {
  return outcome.kind === "exited" && outcome.exit.signal === "SIGKILL" && !process.ended;
}
