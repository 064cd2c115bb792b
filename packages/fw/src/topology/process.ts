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
import { ownNode, type Release } from "./release.ts";

export interface ProcessOptions extends Pick<Release, "name" | "entry" | "env" | "program"> {
  /** Whether to restart a service without limit once it has listened. */
  readonly alwaysRestart?: boolean;
  readonly events: ProcessEvents;
}

/** The ports of a service, both on 127.0.0.1. */
interface ListeningPorts {
  /** For HTTP requests from other processes of the application. */
  readonly port: number;
  /** For clients' requests, which the front forwards in frames. */
  readonly relayPort: number;
}

export interface ProcessEvents {
  /** A service started to listen, possibly on a new port. */
  listens(): void;
  /** A service wrote a line. A line without a stream comes from fw and is about the service. */
  line(service: string, line: string, stream?: "stdout" | "stderr"): void;
  metrics(service: string, report: CountedReport): void;
  /** A service has taken several seconds and still does not listen. */
  slow(service: string, seconds: number): void;
  /** A service exited without being stopped. */
  exited(service: string, how: string): void;
  /** A service did not start to listen and will not be restarted. */
  failed(service: string, how: string): void;
}

/** The number of consecutive failed restarts after which fw gives up on a service. */
const maxFailures = 5;

/** Milliseconds before a restart. Doubles after each failure, up to the ceiling. */
const pauseMs = 50;
const pauseCeilingMs = 5_000;

/** Milliseconds that a process gets in addition to the time limit of its shutdown. */
const stuckMs = 2_000;

/** A service in its own process, which is restarted when it exits. */
export class ServiceProcess {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #ports: ListeningPorts = { port: 0, relayPort: 0 };
  #config = "";
  /** True once `stop` or `kill` was called. */
  isStopped = false;
  #isGivenUp = false;
  /** The number of restarts since the service last listened, and how many of them failed through its own fault. */
  #starts = 0;
  #failures = 0;
  readonly #attempted = new Signal();
  #ready = new Signal();
  readonly #underWay = new UnderWay();

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  start(config: PeerConfig): void {
    this.#config = lineOf(config);
    this.#start();
  }

  get name(): string {
    return this.#options.name;
  }

  /** The current or last port of the service; 0 until it first listens. */
  get port(): number {
    return this.#ports.port;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Resolves when the service listens, now or after the next start, or when it is stopped or has failed permanently.
   */
  get ready(): Promise<void> {
    return this.#ready.raised;
  }

  /** Resolves with true if the first start succeeded. */
  async started(): Promise<boolean> {
    await this.#attempted.raised;
    return this.port !== 0;
  }

  /** True while the service listens and has not been stopped. */
  get isListening(): boolean {
    return this.port !== 0 && this.#ready.isRaised && !this.isStopped && !this.#isGivenUp;
  }

  /** The number of calls of `use` in progress. */
  get workCount(): number {
    return this.#underWay.count;
  }

  /** True if fw has given up on the service. */
  get hasFailed(): boolean {
    return this.#isGivenUp;
  }

  /** Resolves when no call of `use` is in progress. */
  get idle(): Promise<void> {
    return this.#underWay.idle;
  }

  /** Sends the service its configuration if that has changed. */
  tell(config: PeerConfig): void {
    const line = lineOf(config);
    if (line === this.#config) return;
    this.#config = line;
    this.#child?.stdin?.write(line);
  }

  /** Runs work with the service's ports. The service finishes the work before it ends. */
  use<T>(work: (port: number, relayPort?: number) => Promise<T>): Promise<T> {
    return this.#underWay.use(() => work(this.#ports.port, this.#ports.relayPort));
  }

  /** Lets the service finish its work, and kills it at the time limit. */
  async stop(milliseconds: number = shutdownMs + stuckMs): Promise<void> {
    this.isStopped = true;
    this.#ready.raise();
    if (this.#child !== undefined) await endProcess(this.#child, milliseconds);
  }

  kill(): void {
    this.isStopped = true;
    this.#ready.raise();
    this.#child?.kill("SIGKILL");
  }

  #start(): void {
    const { name, entry, env, program = ownNode, events } = this.#options;
    const [path, ...args] = program;
    const child = spawn(path, [...args, entry], {
      env: { ...env, PORT: "0", FW_PEERS: "stdin" },
      // The service exits when its standard input closes, which happens however this process dies.
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    this.#child = child;
    // The process may exit before it reads the configuration. `#onExit` then reports the exit.
    child.stdin.on("error", () => {});
    child.stdin.write(this.#config);
    let listens = false;
    let isLate = false;
    const stopWatch = watchStart({
      slow: (seconds) => events.slow(name, seconds),
      late: (seconds) => {
        isLate = true;
        child.kill("SIGKILL");
        events.line(name, `${name} did not listen within ${seconds} seconds and was killed`);
      },
    });
    const read = (line: string, stream: "stdout" | "stderr"): void => {
      const ports = listens ? undefined : listeningPorts(name, line);
      if (ports === undefined) return events.line(name, line, stream);
      listens = true;
      stopWatch();
      this.#listens(ports);
    };
    for (const stream of ["stdout", "stderr"] as const) {
      onLine(child[stream], (line) => read(line, stream), longestLine);
    }
    onLine(child.stdio[reportDescriptor] as Readable, (line) =>
      events.metrics(name, JSON.parse(line) as CountedReport),
    );
    child.once("error", (error: NodeJS.ErrnoException) => {
      stopWatch();
      this.#onExit(error.code === "ENOENT" ? `${path} was not found in PATH` : error.message, true);
    });
    child.once("exit", (code, killed) => {
      stopWatch();
      if (isLate) this.#onExit("it did not start listening", true);
      else this.#onExit(killed === null ? `it ended with ${code}` : `it was killed by ${killed}`, killed === null);
    });
  }

  #listens(ports: ListeningPorts): void {
    this.#starts = 0;
    this.#failures = 0;
    this.#ports = ports;
    this.#options.events.listens();
    this.#ready.raise();
    this.#attempted.raise();
  }

  /**
   * Restarts a service after it exits. Gives up after `maxFailures` failed restarts in a row, unless `alwaysRestart` is
   * set. Never restarts a service that has not listened, because it would fail again, for example for lack of a secret.
   * A killed process does not count as a failure.
   */
  #onExit(how: string, byItself: boolean): void {
    const { name, events, alwaysRestart = false } = this.#options;
    if (!this.isStopped && !this.#isGivenUp) {
      if (this.#starts > 0 && byItself) this.#failures += 1;
      if (this.port === 0 || (this.#failures >= maxFailures && !alwaysRestart)) {
        this.#isGivenUp = true;
        this.#ready.raise();
        events.failed(name, how);
      } else {
        void this.#restart();
        events.exited(name, how);
      }
    }
    this.#attempted.raise();
  }

  async #restart(): Promise<void> {
    if (this.#ready.isRaised) this.#ready = new Signal();
    await wait(Math.min(pauseCeilingMs, pauseMs * 2 ** this.#starts++));
    if (!this.isStopped) this.#start();
  }
}

/** Asks a process to exit and kills it at the time limit. Resolves when it has exited. */
export async function endProcess(child: ChildProcess, milliseconds: number): Promise<void> {
  // A process that could not be spawned has no pid and never exits.
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

/** Parses the ports from the line that a service prints when it listens; undefined for any other line. */
function listeningPorts(name: string, line: string): ListeningPorts | undefined {
  const { message, service, port, relayPort } = (line.includes('"listening"') ? recordIn(line) : undefined) ?? {};
  if (message !== "listening" || service !== name || typeof port !== "number") return undefined;
  return typeof relayPort === "number" ? { port, relayPort } : undefined;
}
