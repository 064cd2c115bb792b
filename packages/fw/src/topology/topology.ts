import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { App } from "../model/app.ts";
import { servicesOf, type Service } from "../model/services.ts";
import type { Grant } from "../platform/grants.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { serveLoopback } from "../platform/loopback/server.ts";
import type { CronSchedule } from "../runtime/background/cron.ts";
import { triggerCrons } from "./crons.ts";
import { PlatformCaller } from "./deliveries.ts";
import { Destinations } from "./destinations.ts";
import { openFront, type Front } from "./front.ts";
import { freePorts } from "./ports.ts";
import { ServiceProcess } from "./process.ts";

export interface TopologyOptions {
  /** The directory with a directory of each built service, absolute. */
  readonly built: string;
  readonly app: App;
  /** What all services share; who opened it closes it. */
  readonly platform: LocalPlatform;
  /** What each service may do on the platform, by name. */
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
  readonly port: number;
  readonly host: string;
  /** Whether a Host header names this server; others get nothing. */
  readonly isOwnHost: (header: string | undefined) => boolean;
  /** What every service has in its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly console: TopologyConsole;
}

export interface TopologyConsole {
  /** A line that a service wrote. */
  line(service: string, line: string): void;
  /** A service ended and is started again. */
  ended(service: string, how: string): void;
}

/** Every service of an application in a process of its own, behind one port. */
export interface Topology {
  readonly port: number;
  readonly processes: ReadonlyMap<string, ServiceProcess>;
  stop(): Promise<void>;
}

export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const running = new Running(options);
  await running.start();
  return running;
}

class Running implements Topology {
  readonly #options: TopologyOptions;
  readonly #key: Uint8Array = randomBytes(32);
  readonly #caller: PlatformCaller = new PlatformCaller(this.#key);
  readonly #stopping: AbortController = new AbortController();
  readonly #processes: Map<string, ServiceProcess> = new Map();
  #front: Front | undefined;
  #crons: CronSchedule | undefined;
  /** What to stop, in the order in which it was started. */
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#front?.port ?? 0;
  }

  get processes(): ReadonlyMap<string, ServiceProcess> {
    return this.#processes;
  }

  async start(): Promise<void> {
    const { app, platform, grants, host, isOwnHost, port, console } = this.#options;
    const services = servicesOf(app);
    const loopback = await serveLoopback(platform, {
      key: this.#key,
      grants: (service) => grants.get(service) ?? [],
      log: (sentence, error) =>
        console.line("platform", error === undefined ? sentence : `${sentence}: ${reasonOf(error)}`),
    });
    this.#stops.push(() => loopback.close());
    await this.#startProcesses(services, loopback.url);
    const destinations = new Destinations(app, services, (name) => this.#processes.get(name));
    this.#front = await openFront({ port, host, isOwnHost }, (method, path) => destinations.of(method, path));
    this.#stops.push(async () => this.#front?.close());
    this.#startDeliveries();
  }

  /** From the outside inwards: what comes in ends before what it needs. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the services are stopping"));
    this.#crons?.end();
    for (const stop of this.#stops.toReversed()) await stop();
  }

  async #startProcesses(services: readonly Service[], platformUrl: string): Promise<void> {
    const { built, env, console } = this.#options;
    const ports = await freePorts(services.length);
    const addresses = Object.fromEntries(services.map(({ name }, i) => [name, `http://127.0.0.1:${ports[i]}`]));
    const shared = {
      ...env,
      FW_PLATFORM: platformUrl,
      FW_CALL_KEY: Buffer.from(this.#key).toString("base64"),
      FW_CSRF_KEY: randomBytes(32).toString("base64"),
      FW_SERVICES: JSON.stringify(addresses),
    };
    for (const [i, { name }] of services.entries()) {
      const entry = join(built, name, "main.js");
      const lines = { line: console.line.bind(console), ended: console.ended.bind(console) };
      this.#processes.set(name, new ServiceProcess({ name, entry, port: ports[i] ?? 0, env: shared, ...lines }));
    }
    this.#stops.push(async () => {
      await Promise.all([...this.#processes.values()].map((process) => process.stop()));
    });
    await Promise.all([...this.#processes.values()].map(({ ready }) => ready));
  }

  #startDeliveries(): void {
    const { app, platform, console } = this.#options;
    const delivering = platform.dispatcher.deliver(async (delivery) => {
      const process = this.#processes.get(delivery.receiver);
      if (process === undefined) throw new Error(`no service is named ${delivery.receiver}`);
      await this.#caller.push(process, delivery);
    });
    this.#stops.push(() => delivering.stop());
    this.#crons = triggerCrons({
      app,
      platform,
      caller: this.#caller,
      process: (name) => this.#processes.get(name),
      write: (line) => console.line("cron", line),
      stopping: this.#stopping.signal,
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
}
