import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { shutdownMs } from "../lib/limits.ts";
import { longestLine, onLine } from "../lib/lines.ts";
import { recordIn } from "../lib/record-in.ts";
import { Signal } from "../lib/signal.ts";
import { UnderWay } from "../lib/under-way.ts";
import { watchStart } from "../lib/watch-start.ts";
import type { CountedReport } from "../runtime/observe/metrics/collect.ts";
import { reportDescriptor, type PeerConfig } from "../service/local/peer-config.ts";
import type { Release } from "./release.ts";

export interface ProcessOptions extends Pick<Release, "name" | "entry" | "env" | "nodeOptions"> {
  /** Whether a service that has listened is started again however often it does not come as far. */
  readonly tireless?: boolean;
  readonly events: ProcessEvents;
}

export interface ProcessEvents {
  /** A service listens, on a port that may be another one than before. */
  listens(): void;
  /** A line that a service wrote; without a stream, one about it. */
  line(service: string, line: string, stream?: "stdout" | "stderr"): void;
  /** What a process of a service has counted when it ends. */
  counted(service: string, report: CountedReport): void;
  /** A service has not come as far as listening after so many seconds. */
  slow(service: string, seconds: number): void;
  /** A service ended that nobody has stopped. */
  ended(service: string, how: string): void;
  /** A service does not come as far as listening, and is not started again by itself. */
  failed(service: string, how: string): void;
}

/**
 * Starts in a row in which a service that listened before has ended by itself without coming as far, after which it is
 * given up.
 */
const mostFailures = 5;

/** Milliseconds before a service that ended is started again; twice as many each time, up to the ceiling. */
const pauseMs = 50;
const pauseCeilingMs = 5_000;

/** Milliseconds that a service has to end beyond those in which it must. */
const stuckMs = 2_000;

/** A service in a process of its own, that is started again when it ends. */
export class ServiceProcess {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #port = 0;
  #told = "";
  #stopped = false;
  #failed = false;
  /**
   * Starts in a row that did not come as far as listening, and those of them of which the service itself is the cause.
   */
  #starts = 0;
  #failures = 0;
  readonly #attempted = new Signal();
  #ready = new Signal();
  readonly #underWay = new UnderWay();

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  start(config: PeerConfig): void {
    this.#told = lineOf(config);
    this.#start();
  }

  get name(): string {
    return this.#options.name;
  }

  /** Where the service listens, or did before it ended; 0 before it has. */
  get port(): number {
    return this.#port;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the service listens, now or after its next start, when it is stopped, and when it is given up. */
  get ready(): Promise<void> {
    return this.#ready.given;
  }

  /** Resolves with whether its first start has come as far as listening. */
  async started(): Promise<boolean> {
    await this.#attempted.given;
    return this.#port !== 0;
  }

  /** True once it is not started again by itself. */
  get hasFailed(): boolean {
    return this.#failed;
  }

  /** Resolves when nothing of `use` is under way. */
  get idle(): Promise<void> {
    return this.#underWay.idle;
  }

  /** Tells the service who is around it now. */
  tell(config: PeerConfig): void {
    const line = lineOf(config);
    if (line === this.#told) return;
    this.#told = line;
    this.#child?.stdin?.write(line);
  }

  /** Does something with the service that is to end before the service does. */
  use<T>(work: () => Promise<T>): Promise<T> {
    return this.#underWay.use(work);
  }

  /** Lets the service finish what it does, and kills it after so many milliseconds. */
  async stop(milliseconds: number = shutdownMs + stuckMs): Promise<void> {
    this.#stopped = true;
    this.#ready.give();
    if (this.#child !== undefined) await endProcess(this.#child, milliseconds);
  }

  /** Ends the service at once. */
  kill(): void {
    this.#stopped = true;
    this.#ready.give();
    this.#child?.kill("SIGKILL");
  }

  #start(): void {
    const { name, entry, env, nodeOptions = [], events } = this.#options;
    const child = spawn(process.execPath, ["--enable-source-maps", ...nodeOptions, entry], {
      env: { ...env, PORT: "0", FW_PEERS: "stdin" },
      // The service ends when its standard input does, which this process holds, however it dies.
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    // One that ended before it read is started again, which says more.
    child.stdin.on("error", () => {});
    child.stdin.write(this.#told);
    let listens = false;
    let isLate = false;
    const started = watchStart({
      slow: (seconds) => events.slow(name, seconds),
      late: (seconds) => {
        isLate = true;
        child.kill("SIGKILL");
        events.line(name, `${name} does not listen after ${seconds} seconds and is ended`);
      },
    });
    const read = (line: string, stream: "stdout" | "stderr"): void => {
      const port = listens ? undefined : listeningPort(name, line);
      if (port === undefined) return events.line(name, line, stream);
      listens = true;
      started();
      this.#listens(port);
    };
    for (const stream of ["stdout", "stderr"] as const) {
      onLine(child[stream], (line) => read(line, stream), longestLine);
    }
    onLine(child.stdio[reportDescriptor] as Readable, (line) =>
      events.counted(name, JSON.parse(line) as CountedReport),
    );
    child.once("error", (error) => {
      started();
      this.#ended(error.message, true);
    });
    child.once("exit", (code, killed) => {
      started();
      if (isLate) this.#ended("it did not come as far as listening", true);
      else this.#ended(killed === null ? `it ended with ${code}` : `it was ended by ${killed}`, killed === null);
    });
  }

  #listens(port: number): void {
    this.#starts = 0;
    this.#failures = 0;
    this.#port = port;
    this.#options.events.listens();
    this.#ready.give();
    this.#attempted.give();
  }

  /**
   * What never listened would not the next time either, as where a secret is not set. What somebody killed has not
   * failed, however often that is.
   */
  #ended(how: string, byItself: boolean): void {
    const { name, events, tireless = false } = this.#options;
    if (!this.#stopped && !this.#failed) {
      if (this.#starts > 0 && byItself) this.#failures += 1;
      if (this.#port === 0 || (this.#failures >= mostFailures && !tireless)) {
        this.#failed = true;
        this.#ready.give();
        events.failed(name, how);
      } else {
        events.ended(name, how);
        void this.#again();
      }
    }
    this.#attempted.give();
  }

  async #again(): Promise<void> {
    if (this.#ready.isGiven) this.#ready = new Signal();
    await wait(Math.min(pauseCeilingMs, pauseMs * 2 ** this.#starts++));
    if (!this.#stopped) this.#start();
  }
}

/** Has a process end what it does, and ends it itself after so many milliseconds. Resolves when it has ended. */
export async function endProcess(child: ChildProcess, milliseconds: number): Promise<void> {
  // One that could not be spawned has no id, and never exits.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const stuck = setTimeout(() => child.kill("SIGKILL"), milliseconds);
  await exited;
  clearTimeout(stuck);
}

function lineOf(config: PeerConfig): string {
  return `${JSON.stringify(config)}\n`;
}

/** The port in the line that a service writes when it listens. */
function listeningPort(name: string, line: string): number | undefined {
  const { message, service, port } = (line.includes('"listening"') ? recordIn(line) : undefined) ?? {};
  return message === "listening" && service === name && typeof port === "number" ? port : undefined;
}
