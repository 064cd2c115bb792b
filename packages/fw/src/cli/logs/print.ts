import { visible } from "../../lib/visible.ts";
import type { LogEntry } from "../../workspace/log/entry.ts";

/** Prints an entry for a person: time, service, severity and text, with its fields below as `key: value`. */
export function printEntry({ time, service, severity, message, fields }: LogEntry): string {
  const [head = "", ...below] = message.split("\n");
  const first = [time, visible(service), severity, visible(head)].join("  ").trimEnd();
  return `${[first, ...indented(below), ...Object.entries(fields).flatMap(([key, value]) => fieldLines(key, value))].join("\n")}\n`;
}

/** Puts a value of several lines below its key, so that it keeps its shape. */
function fieldLines(key: string, value: unknown): string[] {
  const lines = textOf(value).split("\n");
  const [only = ""] = lines;
  if (lines.length === 1) return indented([`${key}: ${only}`]);
  return [...indented([`${key}:`]), ...indented(indented(lines))];
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const stack = typeof value === "object" && value !== null ? (value as { stack?: unknown }).stack : undefined;
  return typeof stack === "string" ? stack : (JSON.stringify(value) ?? "");
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${visible(line)}`);
}
