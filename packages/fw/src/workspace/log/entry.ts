/** One entry of the log that a running server keeps. */
export interface LogEntry {
  /** RFC 3339. */
  readonly time: string;
  readonly severity: string;
  /** The service that it is of; the application's name where that is not known. */
  readonly service: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a service wrote as one line: a record of its log, or anything else, which has no severity. */
export function entryOf(service: string, line: string, now: Date = new Date()): LogEntry {
  const { severity, time, message, ...fields } = recordIn(line) ?? {};
  if (typeof severity !== "string" || typeof message !== "string")
    return { time: now.toISOString(), severity: "DEFAULT", service, message: line, fields: {} };
  return { time: isTime(time) ? time : now.toISOString(), severity, service, message, fields };
}

/** The JSON of a line that is some; undefined for any other, or one that is not whole yet. */
export function recordIn(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
