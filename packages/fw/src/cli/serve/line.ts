/** A line that a service wrote as a line of the server's log: JSON that names the service, and anything else as its message. */
export function logLine(service: string, line: string, now: Date = new Date()): string {
  if (!line.startsWith("{") || !line.endsWith("}"))
    return JSON.stringify({ severity: "DEFAULT", time: now.toISOString(), message: line, service });
  return line.includes('"service":') ? line : `{"service":${JSON.stringify(service)},${line.slice(1)}`;
}
