import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "../../declare/context.ts";
import { NewestOnly } from "../../lib/newest-only.ts";
import { listOf } from "../../lib/suggest.ts";
import { allOfKind, hasSignIn } from "../../model/declarations.ts";
import { CallVerifier } from "../../platform/call-verifier.ts";
import { newCallKeys } from "../../platform/calls.ts";
import { configurationOf, ConfigurationError } from "../../service/configuration.ts";
import type { ConsoleModel } from "../../generate/console-model.ts";
import { readJSON } from "../../lib/read-file.ts";
import { consoleFile } from "../../topology/built-model.ts";
import type { Release } from "../../topology/release.ts";
import type { DeployResult } from "../../topology/service-group.ts";
import type { MachineNetwork } from "../../topology/machine-network.ts";
import { Topology, type Production, type TopologyOptions } from "../../topology/topology.ts";
import type { ClientOf } from "../../topology/client-address.ts";
import { devCall } from "../../workspace/announcement.ts";
import { holdPath } from "../backup/hold.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { slowSentence } from "../services/line.ts";
import {
  environmentOfServices,
  openServed,
  type DatabaseSettings,
  type ServedData,
  type ServedReports,
} from "./data.ts";
import { readSchema } from "../../evolution/recorded.ts";
import { fetchServed, shareSchema } from "./shared-schema.ts";
import { upgradeInOrder } from "./upgrade-order.ts";
import { refuseMisfitStart, refuseStrandedMessages, refuseUnsafeUpgrade } from "./data-changes.ts";
import { answerHold } from "./hold.ts";
import { announcedCalls, openNetwork, refuseMissingServices, type NetworkSettings } from "./network.ts";
import { isHeldBack } from "./isolation.ts";
import type { DashboardSettings, RunningDashboard } from "./dashboard.ts";
import { logLine } from "./line.ts";
import { placeModules, type PlacedModules } from "./placed-modules.ts";
import { tracingEnvironment } from "./tracing-environment.ts";
import { Probes } from "./probes.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { ServedReleases, type BuiltRelease, type ReleaseSettings } from "./release.ts";
import { serverOn } from "./serving.ts";
import { openRole, type ServerDatabase } from "./server-role.ts";
import type { SocialSignIn } from "./social/endpoints.ts";
import type { NewSocialSignIn } from "./social/open.ts";
import { readSocialSettings } from "./social/settings.ts";

export interface ServeSettings extends ReleaseSettings {
  /** The absolute path of the build. It may be a link, which an operator points to another build for an upgrade. */
  readonly build: string;
  /** The absolute path of the data. */
  readonly data: string;
  /** The database that holds the data instead of the data directory. Several machines can share it. */
  readonly database?: DatabaseSettings;
  /** Milliseconds to keep serving after a request to stop, so that load balancers notice it. */
  readonly drainMs: number;
  readonly port: number;
  readonly host: string;
  readonly visitorOf: ClientOf;
  /** Starts even if this build cannot read data of the version that ran last. */
  readonly acceptDataChanges: boolean;
  readonly dashboard?: DashboardSettings;
  /** Runs only some services, or only the front; by default all services and their front. */
  readonly network?: NetworkSettings;
  /** Milliseconds to wait until the owner of the tables has prepared the database for the build. */
  readonly migrationWaitMs: number;
}

/** The process's input, output and environment, and the server's log. */
export interface ServerContext {
  readonly io: IO;
  readonly log: Logger;
}

/** The first file descriptor of systemd's socket activation. */
const firstSystemdSocket = 3;

/** Runs all services of a built application, or the services of this machine, on its data. */
export class Server {
  readonly #data: ServedData;
  readonly #probes: Probes;
  readonly #settings: ServeSettings;
  readonly #context: ServerContext;
  readonly #releases: ServedReleases;
  readonly #commands = newCallKeys();
  readonly #stopping = new AbortController();
  readonly #upgrades = new NewestOnly();
  readonly #network: MachineNetwork | undefined;
  readonly #topology: Topology;
  readonly #social: SocialSignIn | undefined;
  /** True if the running build declares the social provider. */
  #isSocial = false;
  readonly #explained = new Set<string>();
  #dashboard: RunningDashboard | undefined;
  readonly #modules: PlacedModules;
  /** The time of the last backup, in milliseconds since 1970. */
  #lastBackup: number | undefined;
  #stopped: Promise<void> | undefined;
  /** True if the start would have been refused without another machine that runs the same version. */
  #isRestart = false;
  /** Its database role; undefined without a database. */
  #role: ServerDatabase | undefined;

  private constructor(
    data: ServedData,
    settings: ServeSettings,
    context: ServerContext,
    newSocialSignIn: NewSocialSignIn | undefined,
  ) {
    this.#data = data;
    this.#probes = new Probes(data.reach);
    this.#settings = settings;
    this.#context = context;
    const directory = servicesDirectory(realpathSync(settings.data));
    this.#modules = placeModules(directory, settings.dashboard?.traces !== undefined);
    this.#releases = new ServedReleases(directory, settings, Object.values(this.#modules));
    this.#social = newSocialSignIn?.({
      platform: data.platform,
      visitorOf: settings.visitorOf,
      log: context.log,
      isDeclared: () => this.#isSocial,
    });
    this.#network = openNetwork(settings.network, data.machineKeys, (sentence) => context.log.warn(sentence));
    this.#topology = new Topology(this.#topologyOptions());
  }

  /**
   * Opens the data if the build fits it. Call `start` next. Rejects with a Refusal, or with the signal's reason if it
   * aborts.
   */
  static async open(
    release: BuiltRelease,
    settings: ServeSettings,
    context: ServerContext,
    signal: AbortSignal,
  ): Promise<Server> {
    refuseMissingServices(settings.network, release);
    const newSocialSignIn = await newSocialSignInOf(context.io.env);
    const record = servicesDirectory(settings.data);
    const role = await roleOf(settings, release, context.log, signal);
    const elsewhere = await fetchServed(role?.database, release);
    // If another machine already runs this version, this start causes no new kinds of errors.
    const misfits = refuseMisfitStart(
      release,
      elsewhere.last ?? readSchema(record),
      settings.acceptDataChanges || elsewhere.isRunning,
    );
    for (const sentence of misfits) context.log.warn(sentence);
    const platformData = await openServed({ ...settings, ...role }, release.model.app, reportsTo(context.log), {
      env: context.io.env,
      signal,
    });
    try {
      // Compare with this machine's own record: another machine may handle messages that only its version declares.
      for (const sentence of await refuseStrandedMessages(
        release,
        readSchema(record),
        platformData.platform,
        settings.acceptDataChanges,
      ))
        context.log.warn(sentence);
      const server = new Server(platformData, settings, context, newSocialSignIn);
      server.#role = role;
      server.#isRestart = elsewhere.isRunning && misfits.length > 0 && !settings.acceptDataChanges;
      return server;
    } catch (error) {
      await platformData.close();
      throw error;
    }
  }

  get port(): number {
    return this.#topology.port;
  }

  /**
   * Starts every service. If it rejects, nothing is left running. Rejects with a Refusal if a service does not start,
   * or with the signal's reason if it aborts.
   */
  async start(release: BuiltRelease, signal: AbortSignal): Promise<void> {
    try {
      await this.#start(release, signal);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #start(release: BuiltRelease, signal: AbortSignal): Promise<void> {
    const { data, host } = this.#settings;
    const topology = this.#topology;
    this.#explainRole();
    const releases = await this.#prepare(release, signal);
    await topology.start(release.model.app, releases, signal);
    const failed = [...topology.pools].flatMap(([name, { hasFailed }]) => (hasFailed ? [name] : []));
    if (failed.length > 0) throw new Refusal(`${listOf(failed, "and")} did not start; see the output above`);
    await this.#releases.remember(release);
    await shareSchema(this.#data, release, { isRestart: this.#isRestart, ...this.#role });
    this.#takeSignIn(release);
    this.#probes.serve();
    await this.#openDashboard();
    const { port, platform } = topology;
    const callKey = this.#commands.privateKey;
    serverOn(data).announce({ pid: process.pid, port, host, platform: platform.url, callKey });
  }

  /**
   * Prepares the data and the other machines for a build, and copies the services that this machine runs. A front
   * copies the services that have a site.
   */
  async #prepare(release: BuiltRelease, signal: AbortSignal): Promise<readonly Release[]> {
    await this.#data.useServices?.(release.model);
    if (this.#settings.engine === "bun" && this.#settings.isolation.isIsolated)
      this.#context.log.info("Bun cannot restrict services: they can do whatever the user of fw serve can do");
    const network = this.#network;
    await network?.announce(announcedCalls(release.model));
    return this.#releases.place(release, this.#environmentOfServices(), signal, ({ name, site }) =>
      network?.isFront === true ? site !== "" : (network?.runs(name) ?? true),
    );
  }

  async #openDashboard(): Promise<void> {
    const { dashboard, build, data, database } = this.#settings;
    if (dashboard === undefined) return;
    const { openDashboard } = await import("./dashboard.ts");
    const { log } = this.#context;
    const model = (): ConsoleModel | undefined => readJSON(join(build, consoleFile)) as ConsoleModel | undefined;
    this.#dashboard = await openDashboard({
      ...dashboard,
      platform: this.#data.inspected,
      topology: this.#topology,
      directory: data,
      build,
      hasDatabase: database !== undefined,
      lastBackup: () => this.#lastBackup,
      model,
      log,
    });
    log.info("dashboard", { url: `http://localhost:${this.#dashboard.port}` });
  }

  /**
   * Switches to another build if all of its services start, without dropping a request. Refuses a build that does not
   * fit the data of the running build. Rejects with `Overtaken` if a newer deploy or `stop` interrupts it.
   */
  deploy(release: BuiltRelease): Promise<DeployResult> {
    return this.#upgrades.run(async (signal) => {
      refuseMissingServices(this.#settings.network, release);
      const upgrade = (): Promise<DeployResult> => this.#upgrade(release, signal);
      if (this.#settings.database === undefined) return upgrade();
      // The migration has compared the build with the running version, and other services must not delay this one.
      if (this.#role?.access !== undefined) return upgrade();
      const warn = (sentence: string): void => this.#context.log.warn(sentence);
      return upgradeInOrder({ platform: this.#data.platform, warn, signal }, upgrade);
    });
  }

  async #upgrade(release: BuiltRelease, signal: AbortSignal): Promise<DeployResult> {
    const role = await roleOf(this.#settings, release, this.#context.log, signal);
    const { last } = await fetchServed(role?.database, release);
    await refuseUnsafeUpgrade(release, this.#releases.directory, last, this.#data.platform);
    const releases = await this.#prepare(release, signal);
    const deployed = await this.#topology.deploy(release.model.app, releases, signal);
    if (deployed.failed.length > 0) return deployed;
    await this.#releases.remember(release);
    this.#takeSignIn(release);
    this.#role = role;
    await shareSchema(this.#data, release, { ...role });
    return deployed;
  }

  /** Logs if the server or its services connect to the database with more access than they need. */
  #explainRole(): void {
    const { database, network } = this.#settings;
    if (database === undefined || this.#role?.access !== undefined) return;
    const { log } = this.#context;
    if (network !== undefined)
      log.info(
        "this server connects with the role that owns the tables, which can read all data: fw serve --migrate makes a role for each server, see fw docs postgres",
      );
    if (database.services === undefined)
      log.info("all services share one role of the database: fw gen sql --grants gives each its own");
  }

  /** Stops the server after giving requests a few seconds to finish. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  /** Ends everything immediately. */
  kill(): void {
    this.#topology.kill();
  }

  async #stop(): Promise<void> {
    serverOn(this.#settings.data).withdraw();
    this.#probes.drain();
    if (this.#topology.port !== 0) await wait(this.#settings.drainMs);
    const why = "the server is stopping";
    this.#stopping.abort(new Error(why));
    await Promise.all([this.#upgrades.close(why), this.#topology.stop(), this.#dashboard?.close()]);
    await this.#network?.leave();
    await this.#data.close();
  }

  #environmentOfServices(): IO["env"] {
    const env = environmentOfServices(this.#context.io.env, this.#settings.database);
    const { dashboard } = this.#settings;
    if (dashboard === undefined) return env;
    return { ...env, ...countingEnvironment(env), ...tracingEnvironment(dashboard) };
  }

  #topologyOptions(): TopologyOptions {
    const { port, host } = this.#settings;
    const { io, log } = this.#context;
    const { hold } = this.#data;
    const { relay, traces } = this.#modules;
    const commands = new CallVerifier(devCall.audience, { [devCall.invoker]: this.#commands.publicKey });
    return {
      platform: this.#data.platform,
      listens: systemdSocket(io.env) ?? { port, host },
      isCommand: (token) => commands.refusal(token, devCall.invoker, Date.now()) === undefined,
      operations: new Map(
        hold === undefined ? [] : [[holdPath, answerHold({ hold: () => this.#holdData(hold) }, this.#stopping.signal)]],
      ),
      network: this.#network,
      // Clients sign in at the front, because they reach nothing else.
      endpoints: new Map([
        ...this.#probes.endpoints,
        ...((this.#network?.isFront !== false && this.#social?.endpoints) || []),
      ]),
      relay: pathToFileURL(relay).href,
      ...(traces !== undefined && { pages: pathToFileURL(traces).href }),
      production: this.#production(),
      console: {
        line: (service, line, stream) => {
          io.out.write(`${logLine(service, line, stream)}\n`);
          this.#dashboard?.noteLine(service, line, stream);
          if (isHeldBack(line)) this.#explainIsolation(service);
        },
        slow: (service, seconds) => log.warn(slowSentence(service, seconds)),
        exited: (service, how) => log.error(`the service ${service} was restarted: ${how}`),
        failed: (service, how) => log.error(`the service ${service} does not start: ${how}`),
      },
    };
  }

  #holdData(hold: NonNullable<ServedData["hold"]>): ReturnType<typeof hold> {
    const held = hold();
    this.#lastBackup = held.at.getTime();
    return held;
  }

  /**
   * Enables the social sign-in if the running build declares it. Warns if it is configured but not declared, or if
   * users cannot sign in at all.
   */
  #takeSignIn({ model: { app } }: BuiltRelease): void {
    const declarations = allOfKind(app.packages, "auth");
    this.#isSocial = declarations.some(({ social }) => social);
    const { log } = this.#context;
    if (this.#social !== undefined && !this.#isSocial)
      log.warn("FW_OIDC_ISSUER has no effect: Auth does not declare the social provider");
    if (!hasSignIn(app) || declarations.some(({ password }) => password)) return;
    if (this.#social === undefined)
      log.warn("no one can sign in: set FW_OIDC_ISSUER, or declare passwords in Auth; see fw docs serve");
  }

  /** Warns once for each service that the permission model denied access, and says how to grant more. */
  #explainIsolation(service: string): void {
    if (this.#explained.has(service)) return;
    this.#explained.add(service);
    const log = this.#context.log;
    log.warn(
      `the service ${service} was denied access by the permission model: grant more with "fw serve --allow", see "fw docs serve"`,
    );
  }

  #production(): Production {
    const { scrapeToken } = scraping(this.#context.io.env);
    const { visitorOf } = this.#settings;
    const socialHost = this.#social && { socialHost: this.#social.host };
    return { visitorOf, operatorKey: this.#commands.publicKey, ...(scrapeToken && { scrapeToken }), ...socialHost };
  }
}

/** Returns a machine's role in its database; undefined without a database. May wait for the migration. */
async function roleOf(
  { database, network, migrationWaitMs: waitMs }: ServeSettings,
  release: BuiltRelease,
  log: Logger,
  signal: AbortSignal,
): Promise<ServerDatabase | undefined> {
  if (database === undefined) return undefined;
  return openRole(database, network, release, { waitMs, warn: (sentence) => log.warn(sentence), signal });
}

/** Loads the sign-in with a social provider, if one is configured. */
async function newSocialSignInOf(env: IO["env"]): Promise<NewSocialSignIn | undefined> {
  const settings = readSocialSettings(env);
  return settings && (await import("./social/open.ts")).openSocial(settings);
}

/**
 * Returns the variables that make services count metrics; empty if FW_METRICS is set. A secret token protects the
 * counts.
 */
function countingEnvironment({ FW_METRICS }: IO["env"]): IO["env"] {
  if (FW_METRICS !== undefined && FW_METRICS !== "") return {};
  return { FW_METRICS: "prometheus", FW_METRICS_TOKEN: randomBytes(32).toString("base64url") };
}

function reportsTo(log: Logger): ServedReports {
  return { warn: (sentence) => log.warn(sentence), note: (sentence) => log.info(sentence) };
}

function scraping(env: IO["env"]): { readonly scrapeToken?: string } {
  try {
    const { FW_METRICS, FW_METRICS_TOKEN } = env;
    return configurationOf({ FW_METRICS, FW_METRICS_TOKEN });
  } catch (error) {
    throw error instanceof ConfigurationError ? new Refusal(error.message) : error;
  }
}

function systemdSocket({ LISTEN_PID: pid, LISTEN_FDS: count }: IO["env"]): { readonly fd: number } | undefined {
  if (count === undefined || pid !== String(process.pid)) return undefined;
  if (count === "1") return { fd: firstSystemdSocket };
  throw new Refusal(`systemd passed ${count} sockets, but fw serve listens on one: declare a single ListenStream`);
}
