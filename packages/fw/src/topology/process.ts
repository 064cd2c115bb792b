import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

export interface ProcessOptions {
  readonly name: string;
  /** Of the module to start, absolute. */
  readonly entry: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** Told of each line that the service writes. */
  readonly line: (service: string, line: string) => void;
  /** Told of each end that nobody asked for. */
  readonly ended: (service: string, how: string) => void;
}

/** Milliseconds before a service that ended is started again; twice as many each time, up to the ceiling. */
const pauseMs = 50;
const pauseCeilingMs = 5_000;

/** A service in a process of its own, that is started again when it ends. */
export class ServiceProcess {
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #ready: Promise<void> = Promise.resolve();
  #stopped = false;
  #failures = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#start();
  }

  get name(): string {
    return this.#options.name;
  }

  get port(): number {
    return this.#options.port;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the service listens, now or after its next start. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Lets requests finish and starts it anew, with the code that is on disk. */
  async restart(): Promise<void> {
    await this.#end();
    this.#stopped = false;
    this.#failures = 0;
    this.#start();
  }

  async stop(): Promise<void> {
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await exited;
  }

  #start(): void {
    const { name, entry, port, env, line, ended } = this.#options;
    const child = spawn(process.execPath, ["--enable-source-maps", entry], {
      env: { ...env, PORT: String(port) },
      // The service ends when its standard input does, which this process holds, however it dies.
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    const [ready, listens] = signal();
    this.#ready = ready;
    const read = (text: string): void => {
      if (isListening(text)) {
        this.#failures = 0;
        listens();
      } else line(name, text);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", read);
    child.once("error", (error) => ended(name, error.message));
    child.once("exit", (code, killed) => {
      if (this.#stopped || this.#child !== child) return;
      ended(name, killed === null ? `it ended with ${code}` : `it was ended by ${killed}`);
      void this.#again(listens);
    });
  }

  /** Who waits for the process that ended waits for the next one. */
  async #again(waiting: () => void): Promise<void> {
    await wait(Math.min(pauseCeilingMs, pauseMs * 2 ** this.#failures++));
    if (this.#stopped) return;
    this.#start();
    void this.#ready.then(waiting);
  }
}

/** A promise, and what resolves it. */
function signal(): [promise: Promise<void>, resolve: () => void] {
  let resolve: (() => void) | undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return [promise, () => resolve?.()];
}

/** The line that a service writes when it listens. */
function isListening(line: string): boolean {
  if (!line.startsWith("{") || !line.includes('"listening"')) return false;
  return (JSON.parse(line) as { message?: unknown }).message === "listening";
}
