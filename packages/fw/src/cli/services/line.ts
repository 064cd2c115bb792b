import { flattenLine } from "../../lib/log-members.ts";
import { recordIn } from "../../lib/record-in.ts";
import { visible } from "../../lib/visible.ts";

/** Formats a line of a service's output to read: a log record in one line, other text unchanged. */
export function serviceLine(service: string, line: string): string {
  const record = recordIn(line) ?? {};
  const { severity, time, message } = record;
  if (typeof severity !== "string" || typeof message !== "string") return `${service}  ${visible(line)}\n`;
  const fields = flattenLine(record);
  const rest = Object.entries(fields).map(([name, value]) => `${visible(name)}=${fieldText(value)}`);
  const head = [String(time).slice(11, 23), severity.padEnd(7), service, visible(message), ...rest];
  const stack = stackLines(fields["error"]);
  return `${[head.join(" "), ...stack].join("\n")}\n`;
}

function fieldText(value: unknown): string {
  const message = typeof value === "object" && value !== null ? (value as { message?: unknown }).message : undefined;
  return visible(typeof value === "string" ? value : JSON.stringify(message ?? value));
}

function stackLines(error: unknown): string[] {
  const stack = typeof error === "object" && error !== null ? (error as { stack?: unknown }).stack : undefined;
  return typeof stack === "string" ? stack.split("\n").map((frame) => `    ${visible(frame)}`) : [];
}

/** Reports a service whose start takes long. */
export function slowSentence(service: string, seconds: number): string {
  return `the service ${service} has not started to listen after ${seconds} seconds: does a module await something at its top level?`;
}
