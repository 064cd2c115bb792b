import { flattenLine } from "../../lib/log-members.ts";
import { recordIn } from "../../lib/record-in.ts";
import { visible } from "../../lib/visible.ts";

/** What a service wrote, for a person: a record of its log as one line, anything else as it is. */
export function serviceLine(service: string, line: string): string {
  const record = recordIn(line) ?? {};
  const { severity, time, message } = record;
  if (typeof severity !== "string" || typeof message !== "string") return `${service}  ${visible(line)}\n`;
  const fields = flattenLine(record);
  const rest = Object.entries(fields).map(([name, value]) => `${visible(name)}=${textOf(value)}`);
  const head = [String(time).slice(11, 23), severity.padEnd(7), service, visible(message), ...rest];
  const stack = stackOf(fields["error"]);
  return `${[head.join(" "), ...stack].join("\n")}\n`;
}

function textOf(value: unknown): string {
  const message = typeof value === "object" && value !== null ? (value as { message?: unknown }).message : undefined;
  return visible(typeof value === "string" ? value : JSON.stringify(message ?? value));
}

function stackOf(error: unknown): string[] {
  const stack = typeof error === "object" && error !== null ? (error as { stack?: unknown }).stack : undefined;
  return typeof stack === "string" ? stack.split("\n").map((frame) => `    ${visible(frame)}`) : [];
}

/** The sentence about a service that takes long to start. */
export function slowSentence(service: string, seconds: number): string {
  return `the service ${service} does not listen after ${seconds} seconds: does a module wait at its top level?`;
}
