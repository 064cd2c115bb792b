import { visible } from "../../lib/visible.ts";

/** What a service wrote, for a person: a record of its log as one line, anything else as it is. */
export function serviceLine(service: string, line: string): string {
  const record = recordOf(line);
  if (record === undefined) return `${service}  ${visible(line)}\n`;
  const { severity, time, message, ...fields } = record;
  const rest = Object.entries(fields).map(([name, value]) => `${visible(name)}=${textOf(value)}`);
  const head = [String(time).slice(11, 23), String(severity).padEnd(7), service, visible(String(message)), ...rest];
  const stack = stackOf(fields["error"]);
  return `${[head.join(" "), ...stack].join("\n")}\n`;
}

type LogLine = Readonly<Record<string, unknown>>;

function recordOf(line: string): LogLine | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const record = JSON.parse(line) as LogLine;
    return typeof record["severity"] === "string" && typeof record["message"] === "string" ? record : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  const message = typeof value === "object" && value !== null ? (value as { message?: unknown }).message : undefined;
  return visible(typeof value === "string" ? value : JSON.stringify(message ?? value));
}

function stackOf(error: unknown): string[] {
  const stack = typeof error === "object" && error !== null ? (error as { stack?: unknown }).stack : undefined;
  return typeof stack === "string" ? stack.split("\n").map((frame) => `    ${visible(frame)}`) : [];
}
