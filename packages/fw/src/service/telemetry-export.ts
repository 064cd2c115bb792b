import { systemClock } from "../platform/clock.ts";
import { TaggedLogger, type LogSink } from "../runtime/observe/log.ts";
import { MetricFlusher, type MetricExporter } from "../runtime/observe/metrics/flusher.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected-endpoint.ts";
import { hasCollector, type Telemetry, type TelemetryReaders, type TelemetrySource } from "./telemetry.ts";

/** Exports metrics to the platform and to the collector named in the environment, and serves them to scrapers. */
export async function exportTelemetry(
  source: TelemetrySource,
  { exporter, supervised, scrapeToken }: TelemetryReaders,
): Promise<Telemetry> {
  const { log } = source;
  const store = await source.openStore();
  const collector = hasCollector() ? await (await import("./otlp/open.ts")).openExport(source) : undefined;
  const exporters = [exporter, collector?.exporter].filter((exporter) => exporter !== undefined);
  const flusher = exporters.length === 0 ? undefined : flusherTo(exporters, { store, log });
  return {
    options: { log, metrics: flusher?.metrics ?? store, ...collector?.options },
    injected: supervised || scrapeToken === undefined ? {} : await serveMetrics(store, scrapeToken),
    end: async () => void (await Promise.all([flusher?.end(), collector?.end()])),
  };
}

interface FlushSource {
  readonly store: MetricStore;
  readonly log: LogSink;
}

function flusherTo(exporters: readonly MetricExporter[], { store, log }: FlushSource): MetricFlusher {
  const exporter: MetricExporter = {
    async export(snapshotNow) {
      const results = await Promise.allSettled(exporters.map((exporter) => exporter.export(snapshotNow)));
      const failure = results.find((result) => result.status === "rejected");
      if (failure !== undefined) throw failure.reason;
    },
  };
  // Warnings about the exporters bypass the exporters.
  return new MetricFlusher({ store, exporter, clock: systemClock, log: new TaggedLogger(log, {}) });
}

async function serveMetrics(store: MetricStore, token: string): Promise<InjectedEndpoints> {
  const { scrapeEndpoint } = await import("../runtime/observe/metrics/scrape.ts");
  return scrapeEndpoint(() => store.snapshot(), token);
}
