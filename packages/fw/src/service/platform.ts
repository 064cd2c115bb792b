import type { Application } from "../runtime/application.ts";
import type { Bundle } from "../runtime/bundle.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import type { MetricExporter } from "../runtime/observe/metrics/flusher.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";

/** What a service is built for, and how it takes its place there. */
export interface ServicePlatform {
  readonly name: PlatformName;
  /** Rejects with a Misconfigured where the environment does not say what is needed. */
  place(service: StartedService): Promise<Placing>;
}

/** As the option of `fw build` and `FW_PLATFORM` say it. */
export type PlatformName = "local" | "gcp";

/** A service that is about to serve. */
export interface StartedService {
  readonly name: string;
  /** The directory of its files, absolute. */
  readonly directory: string;
  readonly bundle: Bundle;
  /** What it counts. */
  readonly store: MetricStore;
}

/** What a service has of the platform that it runs on. */
export interface Placing {
  readonly options: Omit<HandlerOptions, "log" | "metrics" | "spans" | "onFault" | "isOwnHost">;
  /** Takes the lines of the log as the platform reads them; by default they are JSON on standard output. */
  readonly log?: LogSink;
  /** Where metrics go that the platform has a place for. */
  readonly exporter?: MetricExporter;
  /** What the process was started for, where that is one task and not to serve: resolves with its exit code. */
  readonly task?: (app: Application) => Promise<number>;
  /** True where it runs beside others on one machine: the process that started it decides what Ctrl-C means, and who gets in. */
  readonly supervised?: true;
}
