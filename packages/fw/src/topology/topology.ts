import { randomBytes } from "node:crypto";
import { stackOf } from "../lib/thrown.ts";
import type { App } from "../model/app.ts";
import { CallVerifier } from "../platform/call-verifier.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Delivering } from "../platform/messages.ts";
import { platformIdentity } from "../platform/loopback/protocol.ts";
import { serveLoopback, type Loopback } from "../platform/loopback/server.ts";
import type { CronSchedule } from "../runtime/background/cron.ts";
import { nodeObjectsOf } from "../runtime/exchange/node/node-exchange.ts";
import { guardedHandler } from "../runtime/guarded-handler.ts";
import { messages } from "../runtime/messages.ts";
import { lineSink, readableLine } from "../runtime/observe/log-line.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import type { Request } from "../runtime/request.ts";
import { serve, type RunningServer } from "../runtime/server.ts";
import { Crons } from "./crons.ts";
import { PlatformCaller } from "./deliveries.ts";
import { CollectedMetrics } from "./metrics.ts";
import { Router, type RouterOptions } from "./router.ts";
import { ServiceGroup, type Deployed } from "./service-group.ts";
import { openFront, type FrontOptions } from "./front.ts";
import { Identities } from "./identities.ts";
import { AdminEndpoints } from "./admin-endpoints.ts";
import type { ServiceProcess } from "./process.ts";
import type { Release } from "./release.ts";
import { withTestUsers } from "./test-users.ts";

export interface TopologyOptions
  extends Pick<RouterOptions, "isCommand" | "openApi">, Pick<FrontOptions, "port" | "host" | "isOwnHost"> {
  /** What all services share; who opened it closes it. */
  readonly platform: LocalPlatform;
  /** The URL of a module with what documents have here (`LocalPages`). */
  readonly pages?: string;
  readonly console: TopologyConsole;
}

export interface TopologyConsole {
  /** A line that a service wrote. */
  line(service: string, line: string): void;
  /** A service ended and is started again. */
  ended(service: string, how: string): void;
  /** A service does not start, and is started again only with the next releases. */
  failed(service: string, how: string): void;
}

/** Every service of an application in a process of its own, behind one port. */
export interface Topology {
  readonly port: number;
  readonly processes: ReadonlyMap<string, ServiceProcess>;
  /** Lets these releases take over, where all of them start. No request is dropped. */
  deploy(app: App, releases: readonly Release[]): Promise<Deployed>;
  /** Lets requests and deliveries end, to a ceiling of some seconds. */
  stop(): Promise<void>;
  /** Has `stop` come to its end at once. */
  kill(): void;
}

export async function startTopology(
  app: App,
  releases: readonly Release[],
  options: TopologyOptions,
): Promise<Topology> {
  const running = new Running(options);
  try {
    await running.start(app, releases);
    return running;
  } catch (error) {
    await running.stop();
    throw error;
  }
}

class Running implements Topology {
  readonly #options: TopologyOptions;
  readonly #identities = new Identities();
  /** Who may call the platform. */
  readonly #callers = new CallVerifier(platformIdentity, {});
  readonly #stopping = new AbortController();
  readonly #caller = new PlatformCaller(this.#identities.platform, (service) => this.#group?.of(service));
  #group: ServiceGroup | undefined;
  #router: Router | undefined;
  #front: RunningServer | undefined;
  #schedule: CronSchedule | undefined;
  #delivering: Delivering | undefined;
  #loopback: Loopback | undefined;

  constructor(options: TopologyOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#front?.port ?? 0;
  }

  get processes(): ReadonlyMap<string, ServiceProcess> {
    return this.#group?.processes ?? new Map();
  }

  async start(app: App, releases: readonly Release[]): Promise<void> {
    const { platform } = this.#options;
    const url = await this.#servePlatform();
    this.#group = this.#newGroup(url);
    await this.deploy(app, releases);
    await this.#openFront();
    this.#delivering = platform.dispatcher.deliver((delivery) => this.#caller.push(delivery));
  }

  async deploy(app: App, releases: readonly Release[]): Promise<Deployed> {
    const group = this.#group;
    if (group === undefined) throw new Error("the services are not started");
    this.#callers.trust(this.#identities.publicKeysOf([...group.names, ...releases.map(({ name }) => name)]));
    const deployed = await group.deploy(releases);
    if (deployed.failed.length === 0) this.#direct(app, releases);
    return deployed;
  }

  /** What comes in ends before what it needs. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the services are stopping"));
    this.#schedule?.end();
    this.#group?.prepareToStop();
    await Promise.all([this.#front?.close(), this.#delivering?.stop()]);
    await this.#group?.stop();
    await this.#loopback?.close();
  }

  kill(): void {
    this.#front?.cut();
    this.#group?.kill();
  }

  async #servePlatform(): Promise<string> {
    const { platform, console } = this.#options;
    this.#loopback = await serveLoopback(withTestUsers(platform), {
      listen: (answer) =>
        serve(
          guardedHandler({ log: this.#log("platform") }, ({ exchange }) => {
            const { req, res } = nodeObjectsOf(exchange);
            return answer(req, res);
          }),
          {
            port: 0,
            host: "127.0.0.1",
            // A process is connected for as long as it lives, and a handler takes the time of whom it works for.
            times: { keepAliveMs: 0, bodyMs: Infinity, stalledMs: Infinity },
          },
        ),
      callers: this.#callers,
      grants: (service) => this.#group?.grantsOf(service) ?? [],
      log: (sentence, error) =>
        console.line("platform", error === undefined ? sentence : `${sentence}: ${stackOf(error)}`),
    });
    return this.#loopback.url;
  }

  #log(part: string): LogSink {
    return lineSink(readableLine, (line) => this.#options.console.line(part, line));
  }

  #newGroup(platform: string): ServiceGroup {
    const { console, pages } = this.#options;
    return new ServiceGroup({
      identities: this.#identities,
      platform,
      pages,
      env: { FW_CSRF_KEY: randomBytes(32).toString("base64") },
      events: {
        line: console.line.bind(console),
        ended: console.ended.bind(console),
        failed: console.failed.bind(console),
      },
    });
  }

  /** What comes from outside, and what is due, goes to the services of this application. */
  #direct(app: App, releases: readonly Release[]): void {
    const { platform, console, isCommand, openApi } = this.#options;
    const stopping = this.#stopping.signal;
    const caller = this.#caller;
    const crons = new Crons({ app, caller, stopping });
    const admin = new AdminEndpoints({ app, caller, crons, dispatcher: platform.dispatcher, stopping });
    const metrics = new CollectedMetrics({ caller, processes: () => this.processes, stopping });
    const scraped = (request: Request): Promise<void> => metrics.answer(request);
    this.#router = new Router({ app, releases, admin, scraped, isCommand, ...(openApi && { openApi }) });
    this.#schedule?.end();
    this.#schedule = crons.follow(platform, (line) => console.line("cron", line));
  }

  async #openFront(): Promise<void> {
    const { host, port, isOwnHost } = this.#options;
    this.#front = await openFront({
      port,
      host,
      ...(isOwnHost && { isOwnHost }),
      log: this.#log("front"),
      targetOf: (request) => this.#router?.of(request) ?? { status: 404, message: messages.notFound },
      processOf: (service) => this.#group?.of(service),
      tokenFor: (service) => this.#identities.platform.tokenFor(service),
    });
  }
}
