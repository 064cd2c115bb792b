import type { Application } from "../runtime/application.ts";
import type { Bundle } from "../runtime/bundle.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import type { MetricExporter } from "../runtime/observe/metrics/flusher.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { Handler } from "../runtime/handler.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { RelayServer } from "./local/relay/listen.ts";

export interface ServicePlatform {
  readonly name: PlatformName;
  /** Connects a service to the platform. Rejects with a ConfigurationError if the environment is incomplete. */
  place(service: StartedService): Promise<ServicePlacement>;
}

/** The platform names as `fw build` and `FW_PLATFORM` spell them. */
export type PlatformName = "local" | "gcp";

export interface StartedService {
  readonly name: string;
  /** The absolute directory of the service's files. */
  readonly directory: string;
  readonly bundle: Bundle;
  /** Aborts when the process stops; the platform may abort it earlier. */
  readonly stopping: AbortController;
  /** Opens the metrics of the service. Metrics are counted only if something reads them. */
  readonly openStore: () => Promise<MetricStore>;
}

export interface ServicePlacement {
  readonly options: Omit<HandlerOptions, "log" | "metrics" | "spans" | "onFault" | "isOwnHost">;
  /** Writes the log in the platform's format; by default, as JSON to standard output. */
  readonly log?: LogSink;
  readonly exporter?: MetricExporter;
  /** Runs the single task that the process was started for, instead of serving. Resolves with the exit code. */
  readonly task?: (app: Application) => Promise<number>;
  /**
   * True if the service runs with others on one machine. Their parent process handles Ctrl-C and receives clients'
   * requests.
   */
  readonly supervised?: true;
  /** Listens for the process that receives clients' requests. */
  readonly listenForFront?: (handler: Handler) => Promise<RelayServer>;
}
