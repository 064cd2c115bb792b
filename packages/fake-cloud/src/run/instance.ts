import { connect, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Cloud } from "../cloud.ts";
import { NotReady, type Container, type Containers, type ContainerSpec } from "./containers.ts";

/** The instances of a revision. */
export interface Backend {
  /** Resolves once an instance can handle requests. Rejects with a NotReady if none can start. */
  ready(): Promise<void>;
  /** Returns an address for a request; starts an instance if there is none. Undefined if it cannot start. */
  address(): Promise<string | undefined>;
  /** Sets whether an instance must run without requests. */
  keep(wanted: boolean): void;
  /** Stops its instances. */
  stop(): Promise<void>;
}

/** Processes started by a test. */
export class KnownAddresses implements Backend {
  readonly #urls: readonly string[];
  #turn = 0;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  address(): Promise<string | undefined> {
    this.#turn += 1;
    return Promise.resolve(this.#urls[this.#turn % Math.max(1, this.#urls.length)]);
  }

  keep(): void {}

  stop(): Promise<void> {
    return Promise.resolve();
  }
}

/** Milliseconds without a request after which an optional instance stops. */
const idleMs = 900_000;

/** Milliseconds until a container must listen, and between two checks. */
const startupMs = 240_000;
const probeMs = 20;

/** Milliseconds until a required instance is restarted, doubled after each restart up to the second value. */
const restartMs = 100;
const longestRestartMs = 10_000;

interface Running {
  readonly container: Container;
  readonly url: string;
}

/** A revision's only instance, started from its image. */
export class Instance implements Backend {
  readonly #cloud: Cloud;
  readonly #containers: Containers;
  readonly #spec: ContainerSpec;
  #running: Promise<Running> | undefined;
  #kept = false;
  #usedAt = 0;
  #restarts = 0;

  constructor(cloud: Cloud, containers: Containers, spec: ContainerSpec) {
    this.#cloud = cloud;
    this.#containers = containers;
    this.#spec = spec;
  }

  async ready(): Promise<void> {
    await this.#start();
  }

  async address(): Promise<string | undefined> {
    this.#usedAt = this.#cloud.clock.now();
    return this.#start().then(
      ({ url }) => url,
      () => undefined,
    );
  }

  keep(wanted: boolean): void {
    this.#kept = wanted;
    if (wanted) void this.#start().catch(() => this.#again());
  }

  async stop(): Promise<void> {
    this.#kept = false;
    const running = this.#running;
    this.#running = undefined;
    await running?.then(
      ({ container }) => container.stop(),
      () => {},
    );
  }

  #start(): Promise<Running> {
    const existing = this.#running;
    if (existing) return existing;
    const starting = this.#listening();
    this.#running = starting;
    void this.#watch(starting);
    return starting;
  }

  /** Handles the end of an instance, or its failure to start. */
  async #watch(starting: Promise<Running>): Promise<void> {
    try {
      const { container } = await starting;
      this.#endWhenIdle(starting);
      await container.exited;
    } catch {
      // The caller that requested the instance sees the error.
    }
    if (this.#running !== starting) return;
    this.#running = undefined;
    this.#again();
  }

  /** Starts a container that listens on a free port. Retries with another one if another process takes the port. */
  async #listening(): Promise<Running> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const container = await this.#containers.start({ ...this.#spec, env: { ...this.#spec.env, PORT: String(port) } });
      if (await listens(port, container)) return { container, url: `http://127.0.0.1:${port}` };
      if (attempt < 3 && !(await isFree(port))) continue;
      await container.stop();
      throw new NotReady(
        "HEALTH_CHECK_CONTAINER_ERROR",
        "The user-provided container failed to start and listen on the port defined provided by the PORT=8080 environment variable within the allocated timeout. This can happen when the container port is misconfigured or if the timeout is too short. The health check timeout can be extended. Logs for this revision might contain more information.",
      );
    }
  }

  #again(): void {
    if (!this.#kept || this.#containers.isClosed) return;
    const wait = Math.min(longestRestartMs, restartMs * 2 ** this.#restarts++);
    void setTimeout(wait, undefined, { ref: false }).then(() => this.keep(this.#kept));
  }

  #endWhenIdle(running: Promise<Running>): void {
    this.#cloud.clock.after(idleMs, async () => {
      if (this.#running !== running) return;
      const isIdle = !this.#kept && this.#cloud.clock.now() - this.#usedAt >= idleMs;
      if (isIdle) await this.stop();
      else this.#endWhenIdle(running);
    });
  }
}

/** Resolves to true if a container listens on its port before it exits or times out. */
async function listens(port: number, { exited }: Container): Promise<boolean> {
  const until = performance.now() + startupMs;
  const hasEnded = exited.then(() => true);
  while (performance.now() < until) {
    if (await answers(port)) return true;
    if (await Promise.race([hasEnded, setTimeout(probeMs, false)])) return false;
  }
  return false;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** The range of ports for containers, below the system's ephemeral ports. Each process starts at a different port. */
const [lowestPort, ports] = [12_000, 20_000];
let portsTaken = (process.pid * 397) % ports;

async function freePort(): Promise<number> {
  for (;;) {
    const port = lowestPort + (portsTaken++ % ports);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
