import type { Application } from "../runtime/application.ts";
import type { Bundle } from "../runtime/bundle.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import type { MetricExporter } from "../runtime/observe/metrics/flusher.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";

/** The platform that a service is built for. */
export interface ServicePlatform {
  readonly name: PlatformName;
  /** Connects a service to the platform. Rejects with a ConfigurationError if the environment is incomplete. */
  place(service: StartedService): Promise<ServicePlacement>;
}

/** The names in the option of `fw build` and in `FW_PLATFORM`. */
export type PlatformName = "local" | "gcp";

/** A service that is about to serve. */
export interface StartedService {
  readonly name: string;
  /** The absolute directory of its files. */
  readonly directory: string;
  readonly bundle: Bundle;
  /** Opens its metrics, which are not counted if nothing reads them. */
  readonly openStore: () => Promise<MetricStore>;
}

/** The parts of a service that its platform supplies. */
export interface ServicePlacement {
  readonly options: Omit<HandlerOptions, "log" | "metrics" | "spans" | "onFault" | "isOwnHost">;
  /** The sink of the log in the platform's format; JSON on standard output by default. */
  readonly log?: LogSink;
  /** The exporter to the platform's metrics. */
  readonly exporter?: MetricExporter;
  /** Runs the one task of a process that was started for it instead of serving; resolves with its exit code. */
  readonly task?: (app: Application) => Promise<number>;
  /** True if it runs with others on one machine: the process that started it handles Ctrl-C and clients' requests. */
  readonly supervised?: true;
}
