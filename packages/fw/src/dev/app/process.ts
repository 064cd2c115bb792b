import { fork, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { endStage } from "../../lib/dev-stage.ts";
import { devChild } from "../../lib/own-modules.ts";
import type { LiveState } from "../live/state.ts";
import type { Activation, Failure, FromChild, PreparedModules, SnapshotDelta, ToChild } from "../protocol.ts";
import { PendingLoad, type LoadOptions, type LoadOutcome } from "./pending-load.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The failure that the process reported, or the supervisor's reason for killing it. */
  readonly failure: Failure | undefined;
}

/** A connection that was sent to the process but is not confirmed yet. */
interface Handover {
  readonly settle: (accepted: boolean) => void;
  /** The last ping that was sent before the connection. */
  readonly afterPing: number;
}

/** Accepts a connection. Resolves with false if that is impossible. */
export type Target = (socket: Socket) => Promise<boolean>;

/** A process that can run the application. It starts idle, as a standby. */
export class AppProcess {
  readonly exited: Promise<Exit>;
  readonly #root: string;
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  readonly #loads: Map<number, PendingLoad> = new Map();
  readonly #connections: Map<number, Handover> = new Map();
  #lastConnection = 0;
  #lastLoad = 0;
  #lastPing = 0;
  #lastPong = 0;
  #failure: Failure | undefined;
  #isReady = false;
  #ended = false;

  constructor(root: string) {
    this.#root = root;
    // Descriptor 4 is a lifeline: its other end closes with this process, however it dies.
    this.#child = fork(devChild, [], {
      cwd: root,
      execArgv: [],
      stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
      serialization: "advanced",
    });
    this.#ready = new Promise<void>((resolve) => this.#listen(resolve)).then(() => void (this.#isReady = true));
    this.exited = new Promise((resolve) =>
      this.#child.once("exit", (code, signal) => resolve(this.#exit(code, signal))),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get missedPings(): number {
    return this.#lastPing - this.#lastPong;
  }

  /** Prepares modules of the first load while the process is idle. */
  prepare(modules: PreparedModules): void {
    this.#send({ type: "prepare", root: this.#root, ...modules });
  }

  async activate(activation: Activation, replaces: boolean): Promise<void> {
    await Promise.race([this.#ready, this.exited]);
    this.#send({ type: "activate", ...activation, replaces });
  }

  ahead(changed: readonly string[]): void {
    this.#send({ type: "ahead", changed });
  }

  /**
   * Loads a change. `build` is the number in this version's pages. A load that is overtaken or takes too long never
   * goes live.
   */
  async load(delta: SnapshotDelta, build: number, options: LoadOptions): Promise<LoadOutcome> {
    const id = ++this.#lastLoad;
    const load = new PendingLoad(options, () => this.#send({ type: "cancel", id }));
    this.#loads.set(id, load);
    this.#send({ type: "load", id, build, delta });
    endStage("send");
    void this.exited.then((exit) => load.settle({ kind: "exited", exit }));
    return load.outcome.finally(() => this.#loads.delete(id));
  }

  /**
   * Hands a connection to the child, but keeps it open in this process until the child confirms it. Returns false if
   * the child exits first: the caller then still owns the connection. If the child answers a later ping but confirms
   * nothing, the connection was lost, for example for lack of descriptors, and is closed.
   */
  async connection(socket: Socket): Promise<boolean> {
    if (!this.#child.connected) return false;
    const id = ++this.#lastConnection;
    const accepted = new Promise<boolean>((settle) => this.#connections.set(id, { settle, afterPing: this.#lastPing }));
    const message: ToChild = { type: "connection", id };
    this.#child.send(message, socket, { keepOpen: true }, (error) => {
      if (error !== null) this.#accepted(id, false);
    });
    const theirs = await accepted;
    if (theirs) socket.destroy();
    return theirs;
  }

  publish(state: LiveState): void {
    this.#send({ type: "state", state });
  }

  /** Pings the process unless it is still starting. */
  ping(): void {
    if (this.#isReady) this.#send({ type: "ping", id: ++this.#lastPing });
  }

  /** Lets the process finish its requests, and kills it after `patience` milliseconds. */
  async drain(patience: number): Promise<void> {
    this.#send({ type: "drain" });
    const timer = setTimeout(() => this.kill(), patience);
    await this.exited;
    clearTimeout(timer);
  }

  /** Kills the process and records the supervisor's reason as its failure. */
  end(reason: Failure): void {
    this.#failure = reason;
    this.#ended = true;
    this.kill();
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #listen(ready: () => void): void {
    this.#child.on("message", (message: FromChild) => {
      if (message.type === "ready") ready();
      else if (message.type === "pong") this.#answered(message.id);
      else if (message.type === "accepted") this.#accepted(message.id, true);
      else if (message.type === "crashed") this.#failure = message.failure;
      else if (message.type === "evaluated") this.#loads.get(message.id)?.evaluated();
      else this.#loads.get(message.id)?.settle(outcomeOf(message));
    });
    // Ignore errors of the channel: the exit event follows when it closes.
    this.#child.on("error", () => {});
  }

  #accepted(id: number, theirs: boolean): void {
    this.#connections.get(id)?.settle(theirs);
    this.#connections.delete(id);
  }

  /** Messages arrive in order: a connection that was sent before an answered ping has either arrived or is lost. */
  #answered(ping: number): void {
    this.#lastPong = ping;
    for (const [id, { afterPing }] of this.#connections) if (afterPing < ping) this.#accepted(id, true);
  }

  #exit(code: number | null, signal: NodeJS.Signals | null): Exit {
    for (const id of this.#connections.keys()) this.#accepted(id, false);
    return { code, signal, failure: this.#failure };
  }

  #send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}

function outcomeOf(message: Extract<FromChild, { type: "loaded" | "failed" }>): LoadOutcome {
  return message.type === "loaded"
    ? { kind: "loaded", evaluated: message.evaluated }
    : { kind: "failed", failure: message.failure };
}
