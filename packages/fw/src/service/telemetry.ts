import { systemClock } from "../platform/clock.ts";
import { TaggedLogger, type LogSink } from "../runtime/observe/log.ts";
import { MetricFlusher, type MetricExporter } from "../runtime/observe/metrics/flusher.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";
import type { Configuration } from "./configuration.ts";
import type { Placing } from "./platform.ts";

/** What a service tells of itself, and to whom. */
export interface Telemetry {
  readonly options: Pick<HandlerOptions, "metrics" | "spans"> & { readonly log: LogSink };
  readonly injected: InjectedEndpoints;
  /** Sends what nobody has been told yet. */
  end(): Promise<void>;
}

/** Which service it is, and what it tells. */
interface Told {
  readonly app: string;
  readonly service: string;
  readonly log: LogSink;
  readonly store: MetricStore;
}

/**
 * What is counted in memory is sent where the platform has a place for it and where the environment names a collector, and who may scrape
 * it can.
 */
export async function openTelemetry(
  told: Told,
  { exporter, supervised }: Pick<Placing, "exporter" | "supervised">,
  { scrapeToken }: Configuration,
): Promise<Telemetry> {
  const { log, store } = told;
  const collector = exports() ? await (await import("./otlp/open.ts")).openExporting(told) : undefined;
  const exporters = [exporter, collector?.exporter].filter((exporter) => exporter !== undefined);
  const flusher = exporters.length === 0 ? undefined : flusherTo(exporters, told);
  return {
    options: {
      log: collector?.log ?? log,
      metrics: flusher?.metrics ?? store,
      ...(collector && { spans: collector.spans }),
    },
    injected: supervised || scrapeToken === undefined ? {} : await scraped(store, scrapeToken),
    end: async () => void (await Promise.all([flusher?.end(), collector?.end()])),
  };
}

function flusherTo(exporters: readonly MetricExporter[], { store, log }: Told): MetricFlusher {
  const exporter: MetricExporter = {
    async export(take) {
      const sent = await Promise.allSettled(exporters.map((exporter) => exporter.export(take)));
      const failed = sent.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
    },
  };
  // What cannot be sent is told in the log itself, not through what sends it.
  return new MetricFlusher({ store, exporter, clock: systemClock, log: new TaggedLogger(log, {}) });
}

async function scraped(store: MetricStore, token: string): Promise<InjectedEndpoints> {
  const { scrapeEndpoint } = await import("../runtime/observe/metrics/scrape.ts");
  return scrapeEndpoint(() => store.snapshot(), token);
}

/** Whether the environment names a collector, in the words of the OpenTelemetry project. */
function exports(): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = "", OTEL_SDK_DISABLED: disabled } = process.env;
  return endpoint !== "" && disabled !== "true";
}
