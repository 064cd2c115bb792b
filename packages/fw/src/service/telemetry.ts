import type { LogSink } from "../runtime/observe/log.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";
import type { Configuration } from "./configuration.ts";
import type { ServicePlacement } from "./platform.ts";

export interface Telemetry {
  readonly options: Pick<HandlerOptions, "metrics" | "spans" | "follow"> & { readonly log: LogSink };
  readonly injected: InjectedEndpoints;
  end(): Promise<void>;
}

/** The dependencies of telemetry. `openStore` is called only if something reads the metrics. */
export interface TelemetrySource {
  readonly app: string;
  readonly service: string;
  readonly log: LogSink;
  readonly openStore: () => Promise<MetricStore>;
}

/**
 * The possible readers of metrics besides a collector: the platform, the parent process of several services, and
 * Prometheus.
 */
export type TelemetryReaders = Pick<ServicePlacement, "exporter" | "supervised"> & Pick<Configuration, "scrapeToken">;

/** Opens the telemetry of a service. If nothing reads metrics, none are counted and the code is not loaded. */
export async function openTelemetry(source: TelemetrySource, readers: TelemetryReaders): Promise<Telemetry> {
  if (!hasReader(readers)) return { options: { log: source.log }, injected: {}, end: async () => {} };
  const { exportTelemetry } = await import("./telemetry-export.ts");
  return exportTelemetry(source, readers);
}

function hasReader({ exporter, supervised, scrapeToken }: TelemetryReaders): boolean {
  return exporter !== undefined || supervised === true || scrapeToken !== undefined || hasCollector();
}

/** True if OTEL_EXPORTER_OTLP_ENDPOINT names a collector and OTEL_SDK_DISABLED is not `true`. */
export function hasCollector(): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = "", OTEL_SDK_DISABLED: disabled } = process.env;
  return endpoint !== "" && disabled !== "true";
}
