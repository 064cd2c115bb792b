import { createHmac } from "node:crypto";
import type { Socket } from "node:net";
import { CallVerifier } from "../../platform/call-verifier.ts";
import type { Platform } from "../../platform/contract.ts";
import {
  AlertReporter,
  Background,
  createService,
  definitionsOf,
  MetricStore,
  serveHanded,
  settings,
  type Bundle,
  type HandedServer,
  type Service,
} from "../../runtime/index.ts";
import { atDocumentEnd, barEndpoints, devBar } from "../bar/bar.ts";
import { LiveEndpoint, liveTag } from "../live/endpoint.ts";
import type { LiveState } from "../live/state.ts";
import { guardedHandler } from "../../runtime/guarded-handler.ts";
import { documentProblem } from "../../runtime/entity/document-type.ts";
import type { Handler } from "../../runtime/handler.ts";
import { outgoingRecorder } from "../../runtime/observe/outgoing/record-outgoing.ts";
import { scrapeEndpoint } from "../../runtime/observe/metrics/scrape.ts";
import { operations } from "../operate.ts";
import { answerOpenApi, openApiPath } from "../../runtime/routing/openapi.ts";
import { isOwnHost } from "../../lib/own-host.ts";
import { messageOf } from "../../lib/thrown.ts";
import { Console, consoleEndpoints } from "../../console/console.ts";
import { renderMail } from "../../console/mail-rendering.ts";
import { EventHub } from "../../console/event-hub.ts";
import type { ConsoleParts } from "../../console/parts.ts";
import { recordExchanges } from "../../console/recording/record-exchanges.ts";
import { processLoadReader } from "../../console/timeline/process-load.ts";
import { recordTimeline } from "../../console/timeline/record-timeline.ts";
import type { Timeline } from "../../console/timeline/timeline.ts";
import { asksWelcome, sendWelcome } from "../../console/welcome/welcome.ts";
import { runNamedCron } from "../../runtime/background/cron.ts";
import { startNamedJob } from "../../runtime/background/start-job.ts";
import { readConsoleModel, readOpenApi } from "../../workspace/generated-files.ts";
import { projectCommands } from "../../workspace/project-commands.ts";
import type { Activation } from "../protocol.ts";
import { MailCatcher } from "../../console/mail-catcher.ts";
import { AppData } from "./data.ts";
import { withOwnRows } from "./own-rows.ts";
import { StartSeeds } from "./seeds.ts";
import { DevLog } from "./log.ts";
import { devCall } from "../../workspace/announcement.ts";

/** Handles the connections that the dev server passes on, with the newest version of the application. */
export class AppServer {
  readonly #activation: Activation;
  readonly #csrfKey: Uint8Array;
  readonly #data: AppData;
  readonly #seeds: StartSeeds;
  readonly #replaces: boolean;
  readonly log: DevLog;
  /** Shared by all versions of the application, so that counts continue when a new version goes live. */
  readonly #metrics: MetricStore = new MetricStore({
    warn: (sentence) => this.#warn(sentence),
  });
  readonly #alerts: AlertReporter = new AlertReporter({
    snapshotOf: () => this.#metrics.snapshot(),
    log: (record) => this.log.sink(record),
  });
  readonly #hub: EventHub = new EventHub();
  readonly #followHandlers = outgoingRecorder();
  readonly #mails: MailCatcher = new MailCatcher();
  readonly #timeline: Timeline;
  readonly #live: LiveEndpoint = new LiveEndpoint();
  readonly #background: Background = new Background();
  readonly #commands: CallVerifier;
  #server: HandedServer | undefined;
  #build = 0;

  /** `replaces` is true if the previous process may still be finishing requests and holding the data. */
  constructor(activation: Activation, replaces: boolean) {
    this.#activation = activation;
    this.#csrfKey = Buffer.from(activation.csrfKey, "base64");
    this.#commands = new CallVerifier(devCall.audience, { [devCall.invoker]: activation.callKey });
    this.#data = new AppData(activation.data, replaces, this.#mails.observer);
    recordExchanges(this.#hub.addExchange);
    const readLoad = processLoadReader();
    this.#timeline = recordTimeline({
      metrics: () => this.#metrics.snapshot(),
      platform: () => this.#data.platform(),
      processes: async () => ({ application: readLoad() }),
      failures: () => this.#hub.takeFailures(),
      totals: () => this.#hub.takeTotals(),
    });
    this.#seeds = new StartSeeds(activation.data.directory, activation.seeds);
    this.#replaces = replaces;
    this.log = new DevLog(activation.root, ({ time, ...entry }) =>
      this.#hub.add({ kind: "log", at: Date.parse(time), ...entry }),
    );
  }

  /**
   * Switches to a new bundle for all further requests; requests in progress finish on the old one. Consumers, `Unique`
   * fields and indexes switch in the same step. If it rejects, nothing has changed.
   */
  async use(bundle: Bundle, build: number, signal: AbortSignal): Promise<void> {
    const change = await this.#data.prepare(bundle, signal);
    let service: Service;
    try {
      service = this.#service(bundle, change.platform);
      this.#switch(bundle, service, build);
    } catch (error) {
      change.abandon();
      throw error;
    }
    await change
      .commit()
      .catch((error: unknown) =>
        this.#warn(`the data is in use, but its new definitions were not recorded: ${messageOf(error)}`),
      );
    const seeding = change.platform && this.#seed(bundle, service, change.platform);
    // Waiting here would deadlock: the replaced process holds the data until this one has loaded.
    if (!this.#replaces) await seeding;
  }

  async #seed(bundle: Bundle, { app }: Service, platform: Platform): Promise<void> {
    const result = await this.#seeds.run(bundle, app, platform);
    if (result === undefined) return;
    const stream = result.hasFailed ? process.stderr : process.stdout;
    stream.write(`${result.sentence}\n`);
  }

  #switch(bundle: Bundle, { handler, app }: Service, build: number): void {
    this.log.use(bundle);
    this.#build = build;
    this.#alerts.use(bundle.alerts ?? []);
    const welcoming = this.#welcomeUntilRouted(bundle, handler, app);
    if (this.#server) this.#server.swap(welcoming);
    else this.#server = serveHanded(welcoming);
    this.#background.use(app);
  }

  /** Responds to `GET /` with the welcome page if the application has nothing at its root. */
  #welcomeUntilRouted({ match }: Bundle, handler: Handler, { files }: Service["app"]): Handler {
    if (match("GET", "/", []) !== -1) return handler;
    const { root, hosts } = this.#activation;
    const welcome = guardedHandler({ isOwnHost: (host) => isOwnHost(host, hosts) }, (request) =>
      sendWelcome(request, {
        root,
        model: readConsoleModel(root),
        commands: projectCommands(root),
        tail: liveTag({ build: this.#build, styles: this.#live.state.styles }),
      }),
    );
    const hasFile = (): boolean => files.some((site) => (site.lookup("/", "") ?? site.fallback()) !== undefined);
    return (exchange) => (asksWelcome(exchange) && !hasFile() ? welcome(exchange) : handler(exchange));
  }

  #warn(sentence: string): void {
    this.log.sink({ at: new Date(), level: "warn", message: sentence, tags: {}, fields: {} });
  }

  /** Handles a connection. `socket` is undefined if the client disconnected during the handover. */
  connection(socket: Socket | undefined): void {
    if (socket === undefined) return;
    if (this.#server) this.#server.accept(socket);
    else socket.destroy();
  }

  publish(state: LiveState): void {
    this.#build = Math.max(this.#build, state.build);
    this.#live.publish(state);
  }

  async drain(): Promise<void> {
    this.#live.close();
    await Promise.all([this.#server?.close(), this.#background.stop()]);
    await this.#data.close();
  }

  #console(bundle: Bundle, app: () => Service["app"]): Console {
    const parts: ConsoleParts = {
      root: this.#activation.root,
      hub: this.#hub,
      mails: this.#mails,
      renderMail,
      redact: this.log.redact,
      model: () => readConsoleModel(this.#activation.root),
      platform: () => this.#data.platform(),
      definitions: () => definitionsOf(bundle),
      documentProblem: (kind, id, fields) => documentProblem(bundle.entities ?? [], { kind, id, fields }),
      references: () => bundle.entities ?? [],
      metrics: () => this.#metrics.snapshot(),
      timeline: this.#timeline,
      alerts: () => ({ rules: bundle.alerts ?? [], firing: this.#alerts.firing() }),
      runCron: (name) => runNamedCron(app(), name),
      startJob: startNamedJob,
    };
    // Derived from a fixed key, so that an open page stays valid with new code and in new processes.
    return new Console(parts, createHmac("sha256", this.#csrfKey).update("console").digest("base64url"));
  }

  #service(bundle: Bundle, platform: Platform | undefined): Service {
    const page = this.#console(bundle, () => service.app);
    const service: Service = createService(withOwnRows(bundle), {
      settings: settings.dev,
      metrics: this.#metrics,
      csrfKey: this.#csrfKey,
      log: this.log.sink,
      caller: {
        ...devCall,
        verify: async (token) => this.#commands.refusal(token, devCall.invoker, Date.now()),
      },
      ...(platform && { platform }),
      watcher: this.#hub,
      follow: this.#followHandlers,
      decorate: (html, page) =>
        atDocumentEnd(
          html,
          devBar(page, { signsIn: bundle.auth !== undefined, firing: this.#alerts.firing() }, (answer) =>
            this.#hub.countSteps(answer),
          ) + liveTag({ build: this.#build, styles: this.#live.state.styles }),
        ),
      isOwnHost: (host) => isOwnHost(host, this.#activation.hosts),
      injected: {
        ...barEndpoints,
        ...operations,
        ...consoleEndpoints(page),
        [openApiPath]: {
          methods: ["GET"],
          handle: (request) => answerOpenApi(request, readOpenApi(this.#activation.root)),
        },
        ...scrapeEndpoint(() => this.#metrics.snapshot()),
        "dev/": {
          methods: ["GET"],
          handle: (request, rest) => this.#live.answer(request, rest),
        },
      },
    });
    return service;
  }
}
