import { systemClock } from "../platform/clock.ts";
import { TaggedLogger, type LogSink } from "../runtime/observe/log.ts";
import { MetricFlusher, type MetricExporter } from "../runtime/observe/metrics/flusher.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";
import type { Configuration } from "./configuration.ts";
import type { ServicePlacement } from "./platform.ts";

/** The telemetry of a service and its destinations. */
export interface Telemetry {
  readonly options: Pick<HandlerOptions, "metrics" | "spans"> & { readonly log: LogSink };
  readonly injected: InjectedEndpoints;
  /** Sends the remaining telemetry. */
  end(): Promise<void>;
}

/** The source of the telemetry. */
interface TelemetrySource {
  readonly app: string;
  readonly service: string;
  readonly log: LogSink;
  readonly store: MetricStore;
}

/** Exports metrics to the platform and to the collector in the environment, and serves them to scrapers. */
export async function openTelemetry(
  source: TelemetrySource,
  { exporter, supervised }: Pick<ServicePlacement, "exporter" | "supervised">,
  { scrapeToken }: Configuration,
): Promise<Telemetry> {
  const { log, store } = source;
  const collector = hasCollector() ? await (await import("./otlp/open.ts")).openExport(source) : undefined;
  const exporters = [exporter, collector?.exporter].filter((exporter) => exporter !== undefined);
  const flusher = exporters.length === 0 ? undefined : flusherTo(exporters, source);
  return {
    options: {
      log: collector?.log ?? log,
      metrics: flusher?.metrics ?? store,
      ...(collector && { spans: collector.spans }),
    },
    injected: supervised || scrapeToken === undefined ? {} : await serveMetrics(store, scrapeToken),
    end: async () => void (await Promise.all([flusher?.end(), collector?.end()])),
  };
}

function flusherTo(exporters: readonly MetricExporter[], { store, log }: TelemetrySource): MetricFlusher {
  const exporter: MetricExporter = {
    async export(snapshotNow) {
      const results = await Promise.allSettled(exporters.map((exporter) => exporter.export(snapshotNow)));
      const failure = results.find((result) => result.status === "rejected");
      if (failure !== undefined) throw failure.reason;
    },
  };
  // Failures of the export go to the log itself, not through the exporters.
  return new MetricFlusher({ store, exporter, clock: systemClock, log: new TaggedLogger(log, {}) });
}

async function serveMetrics(store: MetricStore, token: string): Promise<InjectedEndpoints> {
  const { scrapeEndpoint } = await import("../runtime/observe/metrics/scrape.ts");
  return scrapeEndpoint(() => store.snapshot(), token);
}

/** True if the environment names a collector, by OpenTelemetry's variables. */
function hasCollector(): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = "", OTEL_SDK_DISABLED: disabled } = process.env;
  return endpoint !== "" && disabled !== "true";
}
