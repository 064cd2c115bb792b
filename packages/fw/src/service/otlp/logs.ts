import { flattenRecord } from "../../runtime/observe/log-line.ts";
import type { LogLevel, LogRecord } from "../../runtime/observe/log.ts";
import { hrTime, scope, type Resource } from "./resource.ts";

const severities: Readonly<Record<LogLevel, readonly [number: number, text: string]>> = {
  debug: [5, "DEBUG"],
  info: [9, "INFO"],
  warn: [13, "WARN"],
  error: [17, "ERROR"],
};

/** Converts a record of the log to OpenTelemetry's format. */
export function logRecordOf(record: LogRecord, resource: Resource): object {
  const [severityNumber, severityText] = severities[record.level];
  const { req, trace } = record.tags;
  const at = hrTime(record.at.getTime());
  return {
    hrTime: at,
    hrTimeObserved: at,
    severityNumber,
    severityText,
    body: record.message,
    attributes: flattenRecord(record),
    // Background work has a trace but no request id.
    ...(trace !== undefined && { spanContext: { traceId: trace, spanId: req ?? "", traceFlags: 1 } }),
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
  };
}
