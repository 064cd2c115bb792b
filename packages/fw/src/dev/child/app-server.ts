import { createHmac } from "node:crypto";
import type { Socket } from "node:net";
import { CallVerifier } from "../../platform/call-verifier.ts";
import type { Platform } from "../../platform/contract.ts";
import {
  AlertTeller,
  Background,
  createService,
  definitionsOf,
  MetricStore,
  serveHanded,
  settings,
  type Bundle,
  type HandedServer,
  type LogSink,
  type Service,
} from "../../runtime/index.ts";
import { barEndpoints, devBar } from "../bar/bar.ts";
import { atDocumentEnd } from "../document-end.ts";
import { LiveEndpoint, liveTag } from "../live/endpoint.ts";
import type { LiveState } from "../live/state.ts";
import { scrapeEndpoint } from "../../runtime/observe/metrics/scrape.ts";
import { operations } from "../operate.ts";
import { answerOpenApi, openApiPath } from "../../runtime/routing/openapi.ts";
import { isOwnHost, type OwnHosts } from "../../lib/own-host.ts";
import { Console, consoleEndpoints } from "../../console/console.ts";
import { EventHub } from "../../console/event-hub.ts";
import type { ConsoleParts } from "../../console/parts.ts";
import { runNamedCron } from "../../runtime/background/cron.ts";
import { startNamedJob } from "../../runtime/background/start-job.ts";
import { readConsoleModel, readOpenApi } from "../../workspace/kept-files.ts";
import type { LogEntry } from "../../workspace/log/entry.ts";
import type { AppData } from "./data.ts";
import { devCall } from "../../workspace/running.ts";

/** What every process of one dev server has. */
interface Keys {
  readonly csrf: Uint8Array;
  /** Tells calls of commands of the same user. */
  readonly call: string;
}

/** Answers the connections that the dev server hands over, with the newest application. */
export class AppServer {
  /** The application's directory, absolute. */
  root = "";
  hosts: OwnHosts = { listensOn: "", allowed: [] };
  keys: Keys = { csrf: new Uint8Array(), call: "" };
  log: LogSink | undefined;
  data: AppData | undefined;
  /** Counts on from one version of the application to the next. */
  readonly metrics: MetricStore = new MetricStore({
    warn: (sentence) => this.log?.({ at: new Date(), level: "warn", message: sentence, tags: {}, fields: {} }),
  });
  readonly #alerts: AlertTeller = new AlertTeller({
    counted: () => this.metrics.snapshot(),
    log: (record) => this.log?.(record),
  });
  readonly #hub: EventHub = new EventHub();
  readonly #live: LiveEndpoint;
  readonly #background: Background = new Background();
  #server: HandedServer | undefined;
  #build = 0;

  constructor(state: LiveState) {
    this.#live = new LiveEndpoint(state);
  }

  /** From the next request on, `bundle` answers; those that have begun stay with the one they began with. */
  use(bundle: Bundle, build: number, platform: Platform | undefined): void {
    this.#build = build;
    const { handler, app } = this.#service(bundle, platform);
    this.#alerts.use(bundle.alerts ?? []);
    if (this.#server) this.#server.swap(handler);
    else this.#server = serveHanded(handler);
    this.#background.use(app);
  }

  /** The client may have gone while its connection was on the way. */
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
  }

  /** Tells the console what was logged. */
  logged({ time, ...entry }: LogEntry): void {
    this.#hub.add({ kind: "log", at: Date.parse(time), ...entry });
  }

  #console(bundle: Bundle, app: () => Service["app"]): Console {
    const parts: ConsoleParts = {
      hub: this.#hub,
      model: () => readConsoleModel(this.root),
      platform: async () => this.data?.opened(),
      definitions: () => definitionsOf(bundle),
      counted: () => this.metrics.snapshot(),
      alerts: () => ({ rules: bundle.alerts ?? [], firing: this.#alerts.firing() }),
      runCron: (name) => runNamedCron(app(), name),
      startJob: startNamedJob,
    };
    // An open page outlives new code and new processes.
    return new Console(parts, createHmac("sha256", this.keys.csrf).update("console").digest("base64url"));
  }

  #service(bundle: Bundle, platform: Platform | undefined): Service {
    const page = this.#console(bundle, () => service.app);
    const commands = new CallVerifier(devCall.audience, { [devCall.invoker]: this.keys.call });
    const service: Service = createService(bundle, {
      settings: settings.dev,
      metrics: this.metrics,
      csrfKey: this.keys.csrf,
      ...(this.log && { log: this.log }),
      caller: {
        ...devCall,
        verify: async (token) => commands.refusal(token, devCall.invoker, Date.now()),
      },
      ...(platform && { platform }),
      watcher: this.#hub,
      decorate: (html, page) =>
        atDocumentEnd(
          html,
          devBar(page, { signsIn: bundle.auth !== undefined, firing: this.#alerts.firing() }) +
            liveTag({ build: this.#build, styles: this.#live.state.styles }),
        ),
      isOwnHost: (host) => isOwnHost(host, this.hosts),
      injected: {
        ...((bundle.auth ?? bundle.alerts) && barEndpoints),
        ...operations,
        ...consoleEndpoints(page),
        [openApiPath]: {
          methods: ["GET"],
          handle: (request) => answerOpenApi(request, readOpenApi(this.root)),
        },
        ...scrapeEndpoint(() => this.metrics.snapshot()),
        "dev/": {
          methods: ["GET"],
          handle: (request, rest) => this.#live.answer(request, rest),
        },
      },
    });
    return service;
  }
}
