import { recordIn } from "../../lib/record-in.ts";
import { lineOf } from "../../runtime/observe/log-line.ts";

/**
 * A line that a service wrote as a line of the server's log: JSON that names the service, and anything else as its
 * message.
 */
export function logLine(service: string, line: string, now: Date = new Date()): string {
  const record = recordIn(line);
  if (record === undefined) return lineOf({ severity: "DEFAULT", time: now.toISOString(), message: line, service });
  const { service: claimed, ...members } = record;
  return lineOf({
    service,
    ...members,
    ...(claimed !== undefined && claimed !== service && { "fields.service": claimed }),
  });
}
