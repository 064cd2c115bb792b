import { TaggedLogger, type LogSink } from "../../runtime/observe/log.ts";
import type { MetricExporter } from "../../runtime/observe/metrics/flusher.ts";
import type { HandlerOptions } from "../../runtime/options.ts";
import { Batch } from "./batch.ts";
import { logRecordOf } from "./logs.ts";
import { metricExporter } from "./metrics.ts";
import { loadExporters } from "./packages.ts";
import { resourceOf } from "./resource.ts";
import { spanOf } from "./spans.ts";

/** What exports to a collector, and how the last of its traces and logs is sent. */
export interface Exporting extends Required<Pick<HandlerOptions, "log" | "spans">> {
  readonly exporter: MetricExporter;
  end(): Promise<void>;
}

interface Exported {
  readonly app: string;
  readonly service: string;
  readonly log: LogSink;
}

/** Sends metrics, traces and logs to the collector of the environment; undefined, after it was told, where nothing can. */
export async function openExporting({ app, service, log }: Exported): Promise<Exporting | undefined> {
  const own = new TaggedLogger(log, {});
  const protocol = process.env["OTEL_EXPORTER_OTLP_PROTOCOL"] ?? "http/json";
  if (protocol !== "http/json")
    own.warn(`a service exports as http/json, whatever OTEL_EXPORTER_OTLP_PROTOCOL says: ${protocol}`);
  const exporters = await loadExporters((sentence) => own.warn(sentence));
  if (exporters === undefined) return undefined;
  const resource = resourceOf(app, service, process.env);
  // What they cannot send is told in the log itself, not through them.
  const tell = (sentence: string, fields: Readonly<Record<string, unknown>>): void => own.warn(sentence, fields);
  const spans = new Batch("traces", exporters.traces, tell);
  const lines = new Batch("logs", exporters.logs, tell);
  return {
    exporter: metricExporter(exporters.metrics, resource),
    spans: (span) => spans.add(spanOf(span, resource)),
    log(record) {
      log(record);
      lines.add(logRecordOf(record, resource));
    },
    async end() {
      await Promise.all([spans.flush(), lines.flush()]);
    },
  };
}
