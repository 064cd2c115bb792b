import { flattenLine } from "../../lib/log-members.ts";
import { recordIn } from "../../lib/record-in.ts";

export interface LogEntry {
  /** RFC 3339. */
  readonly time: string;
  readonly severity: string;
  /** The service that wrote it, or the application if the service is unknown. */
  readonly service: string;
  readonly message: string;
  /** The application's fields, and fields that fw adds, such as `req`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses a line of a service's output: a log record, or other text, whose severity depends on the stream. */
export function entryOf(service: string, line: string, stream?: "stdout" | "stderr", now: Date = new Date()): LogEntry {
  const record = recordIn(line) ?? {};
  const { severity, time, message } = record;
  if (typeof severity !== "string" || typeof message !== "string")
    return {
      time: now.toISOString(),
      severity: streamSeverities[stream ?? "none"],
      service,
      message: line,
      fields: {},
    };
  return { time: isTime(time) ? time : now.toISOString(), severity, service, message, fields: flattenLine(record) };
}

/** The severities of text that is not a log record, such as the output of `console.log`. */
export const streamSeverities = { stdout: "INFO", stderr: "ERROR", none: "DEFAULT" } as const;

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
