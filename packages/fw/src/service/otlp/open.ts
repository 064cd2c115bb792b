import type { TelemetrySource } from "../telemetry.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";
import type { MetricExporter } from "../../runtime/observe/metrics/flusher.ts";
import { usesOutgoing } from "../../runtime/capabilities.ts";
import { outgoingRecorder } from "../../runtime/observe/outgoing/record-outgoing.ts";
import type { HandlerOptions } from "../../runtime/options.ts";
import { Batch } from "./batch.ts";
import { logRecordOf } from "./logs.ts";
import { metricExporter } from "./metrics.ts";
import { loadExporters } from "./packages.ts";
import { resourceOf } from "./resource.ts";
import { spanOf } from "./spans.ts";

/** The exporters to a collector, and a function that flushes traces and logs. */
export interface CollectorExport {
  readonly options: Required<Pick<HandlerOptions, "log" | "spans">> & Pick<HandlerOptions, "follow">;
  readonly exporter: MetricExporter;
  end(): Promise<void>;
}

type ExportSource = TelemetrySource;

/**
 * Opens the export of metrics, traces and logs to the collector named in the environment. Warns and resolves with
 * undefined if packages are missing.
 */
export async function openExport({ app, service, log }: ExportSource): Promise<CollectorExport | undefined> {
  const own = new TaggedLogger(log, {});
  const protocol = process.env["OTEL_EXPORTER_OTLP_PROTOCOL"] ?? "http/json";
  if (protocol !== "http/json")
    own.warn(`OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} is not supported: exporting as http/json`);
  const exporters = await loadExporters((sentence) => own.warn(sentence));
  if (exporters === undefined) return undefined;
  const resource = resourceOf(app, service, process.env);
  // Warnings about the exporters bypass the exporters.
  const warn = (sentence: string, fields: Readonly<Record<string, unknown>>): void => own.warn(sentence, fields);
  const spans = new Batch("traces", exporters.traces, warn);
  const lines = new Batch("logs", exporters.logs, warn);
  return {
    exporter: metricExporter(exporters.metrics, resource),
    options: {
      spans: (span) => spans.add(spanOf(span, resource)),
      ...(usesOutgoing && { follow: outgoingRecorder() }),
      log(record) {
        log(record);
        lines.add(logRecordOf(record, resource));
      },
    },
    async end() {
      await Promise.all([spans.flush(), lines.flush()]);
    },
  };
}
