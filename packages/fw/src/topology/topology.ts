import { setMaxListeners } from "node:events";
import { flushMs, shutdownMs } from "../lib/limits.ts";
import { messageOf } from "../lib/thrown.ts";
import { alertRules } from "../model/alert-rules.ts";
import type { App } from "../model/app.ts";
import { hasSignIn } from "../model/declarations.ts";
import { dataStatus } from "../platform/data-status.ts";
import type { Delivering } from "../platform/messages.ts";
import type { CronSchedule } from "../runtime/background/cron.ts";
import { forwardedHeader } from "../runtime/access/trusted-proxy.ts";
import { messages } from "../runtime/error-messages.ts";
import { jsonLine, lineSink, readableLine } from "../runtime/observe/log-line.ts";
import type { RunningServer } from "../runtime/server.ts";
import { Crons } from "./crons.ts";
import { definitionsOfModel } from "./definitions.ts";
import { PlatformCaller, type PostOptions, type ServiceAnswer } from "./deliveries.ts";
import { Egress } from "./egress.ts";
import { Gateway } from "./gateway.ts";
import { frontName, type MachineNetwork } from "./machine-network.ts";
import { CollectedMetrics } from "./metrics.ts";
import { Router, type RouterOptions } from "./router.ts";
import { ServiceGroup, type DeployResult } from "./service-group.ts";
import { Forwarder } from "./forward.ts";
import type { Forwards } from "./forwarding.ts";
import { openFront, type FrontOptions } from "./front.ts";
import { Identities } from "./identities.ts";
import { AdminEndpoints } from "./admin-endpoints.ts";
import { PlatformServer } from "./platform-server.ts";
import { RelayForwarder } from "./relay-forwarder.ts";
import type { ProcessEvents, ServiceProcess } from "./process.ts";
import type { ServicePool } from "./service-pool.ts";
import { calleesOf } from "../model/grants.ts";
import { clientServicesOf } from "../model/services.ts";
import type { Release } from "./release.ts";
import type { ServedPlatform } from "./served-platform.ts";
import type { ClientOf } from "./client-address.ts";

export interface TopologyOptions
  extends
    Pick<RouterOptions, "isCommand" | "openApi" | "consolePage" | "operations" | "endpoints" | "welcome">,
    Pick<FrontOptions, "listens" | "isOwnHost"> {
  /** The platform that all services share. The caller closes it. */
  readonly platform: ServedPlatform;
  /** The URL of a service's module for receiving requests from the front. */
  readonly relay: string;
  /** The URL of the module that adds fw's content to pages or records traces (`LocalPages`). */
  readonly pages?: string;
  /** Present in production (`fw serve`), absent in development. */
  readonly production?: Production;
  /** The other machines, if services run on several; absent if each machine runs all services. */
  readonly network?: MachineNetwork | undefined;
  readonly console: Pick<ProcessEvents, "line" | "slow" | "exited" | "failed">;
}

export interface Production {
  readonly visitorOf: ClientOf;
  /** The token for scraping metrics; absent if scraping is off. */
  readonly scrapeToken?: string;
  /** The public key of the operator, who has access to everything. */
  readonly operatorKey: string;
  /** The host of the social provider for signing in users; absent without one. */
  readonly socialHost?: string;
}

/** The message that clients get while a service is not running in production. */
const unavailable = "this part of the application is restarting; try again in a moment";

/** Runs each service of an application in its own process, behind one port. */
export class Topology {
  readonly #options: TopologyOptions;
  readonly #identities = new Identities();
  readonly platform: PlatformServer;
  readonly #stopping = new AbortController();
  readonly #caller = new PlatformCaller({
    signer: this.#identities.platform,
    poolOf: (service) => this.#group.of(service),
    stopping: this.#stopping.signal,
  });
  readonly metrics: CollectedMetrics = new CollectedMetrics({
    caller: this.#caller,
    pools: () => this.pools,
    stopping: this.#stopping.signal,
    alertLog: lineSink(jsonLine, (line) => this.#options.console.line(this.#app.name, line)),
    onAlert: () => this.#show(),
  });
  readonly #group: ServiceGroup;
  readonly #egress: Egress | undefined;
  readonly #gateway: Gateway | undefined;
  #app: App = { name: "", packages: [], types: {} };
  /** Whether clients can reach a service of this machine, in the running build or the one being started. */
  #hasClients = true;
  #router: Router | undefined;
  #front: RunningServer | undefined;
  #schedule: CronSchedule | undefined;
  #delivering: Delivering | undefined;
  #deploying: Promise<unknown> = Promise.resolve();

  constructor(options: TopologyOptions) {
    this.#options = options;
    // Each post to a service adds a listener.
    setMaxListeners(0, this.#stopping.signal);
    this.platform = new PlatformServer({
      platform: options.platform,
      identities: this.#identities,
      group: () => this.#group,
      operatorKey: options.production?.operatorKey,
      line: (line) => options.console.line("platform", line),
    });
    this.#group = this.#newGroup();
    const { network } = options;
    if (network === undefined || network.isFront) return;
    const log = lineSink(readableLine, (line) => options.console.line("egress", line));
    this.#egress = new Egress({ identities: this.#identities, network, log });
    this.#gateway = new Gateway({
      network,
      identities: this.#identities,
      ownEndpoint: (request) => this.#router?.ofMachine(request),
      poolOf: (service) => this.#group.of(service),
      unavailable: () => unavailable,
    });
  }

  /** Starts the application. Stops everything if the start fails or is aborted. */
  async start(app: App, releases: readonly Release[], signal?: AbortSignal): Promise<void> {
    const ending = this.#until(signal);
    try {
      await this.platform.start();
      await this.deploy(app, releases, signal);
      ending.throwIfAborted();
      this.#front = await this.#openFront();
      ending.throwIfAborted();
      const { platform, network } = this.#options;
      if (network?.isFront !== true)
        this.#delivering = platform.dispatcher.deliver((delivery) => this.#caller.push(delivery), network?.services);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  get port(): number {
    return this.#front?.port ?? 0;
  }

  get app(): App {
    return this.#app;
  }

  get pools(): ReadonlyMap<string, ServicePool> {
    return this.#group.pools;
  }

  /**
   * Switches to these releases if all of them start, without dropping a request. Consumers, `Unique` fields and indexes
   * switch together with requests. If the platform cannot be prepared, or `signal` or `stop` aborts the deploy, rejects
   * and leaves everything unchanged.
   */
  async deploy(app: App, releases: readonly Release[], signal?: AbortSignal): Promise<DeployResult> {
    const deploying = this.#deploy(app, releases, this.#until(signal));
    this.#deploying = deploying.catch(() => {});
    return deploying;
  }

  /**
   * Aborts a start or deploy in progress, finishes requests and deliveries, and stops the processes within
   * `shutdownMs`.
   */
  async stop(): Promise<void> {
    const ends = performance.now() + shutdownMs;
    this.#stopping.abort(new Error("the services are stopping"));
    this.#schedule?.end();
    this.#group.prepareToStop();
    await Promise.all([this.#front?.close(), this.#delivering?.stop()]);
    await Promise.all([this.#group.stop(Math.max(flushMs, ends - performance.now())), this.#deploying]);
    this.#gateway?.close();
    await this.#egress?.close();
    await this.platform.close();
  }

  /** Posts to a path of a service below `/_fw/`, as the platform. */
  post(service: string, path: string, body: string, options?: PostOptions): Promise<ServiceAnswer> {
    return this.#caller.post(service, path, body, options);
  }

  /** Posts to a path below `/_fw/` of one process of a service, as the platform. */
  postTo(process: ServiceProcess, path: string, body: string): Promise<ServiceAnswer> {
    return this.#caller.postTo(process, process.name, path, body);
  }

  /** Kills all processes and cuts all connections, so that `stop` finishes immediately. */
  kill(): void {
    this.#front?.cut();
    this.#group.kill();
  }

  /** Returns a signal that aborts when the given one does or the topology stops. */
  #until(signal: AbortSignal | undefined): AbortSignal {
    return AbortSignal.any([this.#stopping.signal, ...(signal === undefined ? [] : [signal])]);
  }

  async #deploy(app: App, releases: readonly Release[], signal: AbortSignal): Promise<DeployResult> {
    const { platform, console, network } = this.#options;
    const own = network === undefined ? releases : releases.filter(({ name }) => network.runs(name));
    const definitions = definitionsOfModel(app);
    const change = await platform.prepare(definitions, signal);
    const number = this.platform.openDeploy(definitions);
    let committed: Promise<void> | undefined;
    try {
      this.platform.trust(own.map(({ name }) => name));
      await this.#egress?.open(calledElsewhere(own));
      this.#hasClients = network === undefined || clientServicesOf(app).some((service) => network.runs(service));
      const onSwitch = (): void => {
        committed = change.commit();
        this.#direct(app, releases);
      };
      const deployed = await this.#group.deploy(own, { number, signal, onSwitch });
      if (deployed.failed.length > 0) return deployed;
      await committed?.catch((error: unknown) =>
        console.line("platform", `the new definitions are active but could not be recorded: ${messageOf(error)}`),
      );
      this.#app = app;
      await this.metrics.watch(alertRules(app));
      this.#show();
      return deployed;
    } finally {
      if (committed === undefined) change.abandon();
    }
  }

  #newGroup(): ServiceGroup {
    const { console, relay, pages, production, network, platform: own } = this.#options;
    return new ServiceGroup({
      identities: this.#identities,
      platform: (deploy) => this.platform.urlOf(deploy),
      ...(network !== undefined && { elsewhere: (service: string) => this.#egress?.originOf(service) }),
      relay,
      pages,
      alwaysRestart: production !== undefined,
      env: () => ({
        // The key is stored with the data, so open forms stay valid after a restart.
        ...(this.#hasClients && { FW_CSRF_KEY: Buffer.from(own.secret("csrf")).toString("base64") }),
        ...(production && { FW_SERVED: "true" }),
        ...(production?.socialHost !== undefined && { FW_SOCIAL: production.socialHost }),
      }),
      events: {
        line: console.line.bind(console),
        metrics: (service, report) => this.metrics.ledger.report(service, report),
        slow: console.slow.bind(console),
        exited: console.exited.bind(console),
        failed: console.failed.bind(console),
      },
    });
  }

  /** Routes requests, commands and crons to services of this application. */
  #direct(app: App, releases: readonly Release[]): void {
    const { platform, console, production, network } = this.#options;
    const caller = this.#caller;
    const crons = new Crons(app, caller);
    const admin = new AdminEndpoints({
      app,
      caller,
      crons,
      dispatcher: platform.dispatcher,
      status: () => dataStatus(platform, definitionsOfModel(app)),
    });
    const scrape = this.metrics.scraping(production);
    const clientServices = network?.isFront === true ? new Set(clientServicesOf(app)) : undefined;
    this.#router = new Router({ ...this.#options, app, releases, admin, scrape, clientServices });
    this.#schedule?.end();
    this.#schedule = crons.follow({
      platform,
      runs: (service) => network?.runs(service) ?? true,
      write: (line) => console.line("cron", line),
      stopping: this.#stopping.signal,
    });
  }

  #show(): void {
    this.#group.show({ signsIn: hasSignIn(this.#app), firing: this.metrics.firing() });
  }

  #openFront(): Promise<RunningServer> {
    const { listens, isOwnHost, console } = this.#options;
    return openFront({
      listens,
      ...(isOwnHost && { isOwnHost }),
      log: lineSink(readableLine, (line) => console.line("front", line)),
      targetOf: (request) =>
        (this.#gateway?.targetOf(request) ?? this.#router?.of(request)) || { status: 404, message: messages.notFound },
      forwarder: this.#newForwarder(),
    });
  }

  /**
   * Creates the forwarder of clients' requests, to services of this machine or, on a front without services, to other
   * machines.
   */
  #newForwarder(): Forwards {
    const { network, production } = this.#options;
    const options = {
      ...(production && { visitorOf: production.visitorOf }),
      unavailable: (service: string) =>
        production ? unavailable : `the service ${service} is not running; see the output of fw dev`,
    };
    if (network?.isFront === true)
      return new Forwarder({
        ...options,
        poolOf: (service) => network.poolOf(service),
        signature: (service) => [forwardedHeader, network.tokenFor(frontName, service)],
      });
    return new RelayForwarder({
      ...options,
      poolOf: (service) => this.#group.of(service),
      tokenFor: (service) => this.#identities.platform.tokenFor(service),
    });
  }
}

/** Returns the services of other machines that these releases call. */
function calledElsewhere(releases: readonly Release[]): readonly string[] {
  const own = new Set(releases.map(({ name }) => name));
  return releases.flatMap(({ grants }) => [...calleesOf(grants)].filter((service) => !own.has(service)));
}
