import { recordIn } from "../../lib/record-in.ts";
import { lineOf } from "../../runtime/observe/log-line.ts";
import { streamSeverities } from "../../workspace/log/entry.ts";

/**
 * Converts a line of a service's output to a line of the server's log: adds the service to JSON, and wraps other text
 * with the severity of its stream.
 */
export function logLine(service: string, line: string, stream?: "stdout" | "stderr", now: Date = new Date()): string {
  const record = recordIn(line);
  if (record === undefined) {
    const severity = streamSeverities[stream ?? "none"];
    return lineOf({ severity, time: now.toISOString(), message: line, service });
  }
  const { service: claimed, ...members } = record;
  return lineOf({
    service,
    ...members,
    ...(claimed !== undefined && claimed !== service && { "fields.service": claimed }),
  });
}
