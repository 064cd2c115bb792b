import { flattenLine } from "../../lib/log-members.ts";
import { recordIn } from "../../lib/record-in.ts";

/** One entry of the log that a running server keeps. */
export interface LogEntry {
  /** RFC 3339. */
  readonly time: string;
  readonly severity: string;
  /** The service that it is of; the application's name where that is not known. */
  readonly service: string;
  readonly message: string;
  /** Members that fw wrote, such as `req`, and the fields of the application. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Reads a line that a service wrote: a record of its log, or a line that its code printed, which has the severity of
 * its stream.
 */
export function entryOf(service: string, line: string, stream?: "stdout" | "stderr", now: Date = new Date()): LogEntry {
  const record = recordIn(line) ?? {};
  const { severity, time, message } = record;
  if (typeof severity !== "string" || typeof message !== "string")
    return { time: now.toISOString(), severity: severities[stream ?? "none"], service, message: line, fields: {} };
  return { time: isTime(time) ? time : now.toISOString(), severity, service, message, fields: flattenLine(record) };
}

const severities = { stdout: "INFO", stderr: "ERROR", none: "DEFAULT" } as const;

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
