import { escape16 } from "../../lib/html-script.ts";
import { logLineCharacters } from "../../lib/limits.ts";
import { flattenMembers } from "../../lib/log-members.ts";
import { type ErrorText, errorTextOf, isA, stackOf } from "../../lib/thrown.ts";
import { visible } from "../../lib/visible.ts";
import type { LogLevel, LogRecord, LogSink } from "./log.ts";

const maxDepth = 8;

/**
 * The number of characters left for the values of a line. Strings and nested keys take their length, and each value one
 * more.
 */
interface Budget {
  left: number;
}
const severities: Readonly<Record<LogLevel, string>> = {
  debug: "DEBUG",
  info: "INFO",
  warn: "WARNING",
  error: "ERROR",
};

/** Formats a record as one line of JSON for the platform's log reader. */
export function jsonLine(record: LogRecord): string {
  const fields = toPlainFields(record.fields);
  return lineOf({
    ...toPlainFields(record.members),
    severity: severities[record.level],
    time: record.at.toISOString(),
    message: truncate(record.message, { left: logLineCharacters }),
    ...record.tags,
    ...(Object.keys(fields).length > 0 && { fields }),
  });
}

export function lineOf(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(members).replace(unsafe, escape16);
}

// Matches characters that JSON does not escape but that terminals or log readers interpret.
const unsafe = /[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Formats a line for the terminal: time, level, message, `key=value` fields and tags. Indented stacks follow. */
export function readableLine(record: LogRecord): string {
  const head = [record.at.toISOString().slice(11, 23), record.level.toUpperCase().padEnd(5)];
  const message = truncate(record.message, { left: logLineCharacters });
  return lineWithFields([...head, message], flattenRecord(record));
}

/** Formats a line of words and `key=value` fields. The indented stacks of errors follow. */
export function lineWithFields(words: readonly string[], fields: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(fields).map(([key, value]) => `${visible(key)}=${fieldText(value)}`);
  const frames = Object.values(fields).flatMap((value) => (isErrorField(value) ? value.stack.split("\n") : []));
  return [[...words.map(visible), ...texts].join(" "), ...frames.map((frame) => `    ${visible(frame)}`)].join("\n");
}

/** Creates a sink that writes each record as a line, formatted by `format`. */
export function lineSink(format: (record: LogRecord) => string, write: (line: string) => void): LogSink {
  return (record) => write(`${format(record)}\n`);
}

function fieldText(value: unknown): string {
  if (isErrorField(value)) return visible(JSON.stringify(value.message));
  return visible(typeof value === "string" && /^[\w./:@+-]+$/.test(value) ? value : (JSON.stringify(value) ?? ""));
}

function isErrorField(value: unknown): value is ErrorText {
  const { message, stack } = Object(value) as Partial<ErrorText>;
  return typeof message === "string" && typeof stack === "string";
}

/** Merges the members, tags and fields of a record into a plain object that JSON can represent. */
export function flattenRecord({ members, tags, fields }: LogRecord): Readonly<Record<string, unknown>> {
  return flattenMembers({ ...toPlainFields(members), ...tags }, toPlainFields(fields));
}

/** Converts fields to values that JSON can represent. */
function toPlainFields(fields: LogRecord["fields"] = {}): Record<string, unknown> {
  const budget = { left: logLineCharacters };
  return Object.fromEntries(readEntries(fields).map(([key, value]) => [key, toPlainValue(value, budget)]));
}

/** Returns the entries of fields, whose getters may throw. */
function readEntries(fields: LogRecord["fields"]): readonly (readonly [key: string, value: unknown])[] {
  try {
    return Object.entries(fields);
  } catch {
    return [["fields", "[unreadable]"]];
  }
}

/** Converts any value for JSON. Never throws, because a log line must not fail the request that writes it. */
function toPlainValue(value: unknown, budget: Budget): unknown {
  try {
    return plainValue(value, [], budget);
  } catch {
    return "[unreadable]";
  }
}

function plainValue(value: unknown, ancestors: readonly object[], budget: Budget): unknown {
  if (budget.left <= 0) return "[cut]";
  budget.left -= 1;
  if (typeof value === "string") return truncate(value, budget);
  if (typeof value === "bigint") return truncate(String(value), budget);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (isA(value, Error))
    return { message: truncate(errorTextOf(value).message, budget), stack: truncate(stackOf(value), budget) };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (ancestors.includes(value)) return "[circular]";
  if (ancestors.length === maxDepth) return "[deep]";
  const path = [...ancestors, value];
  if (Array.isArray(value)) return plainItems(value, path, budget);
  return plainMembers(value, path, budget);
}

/** Converts the items that fit in the budget, followed by the number of omitted items. */
function plainItems(items: readonly unknown[], ancestors: readonly object[], budget: Budget): readonly unknown[] {
  const plain: unknown[] = [];
  for (const item of items) {
    if (budget.left <= 0) return [...plain, `[${items.length - plain.length} more]`];
    plain.push(plainValue(item, ancestors, budget));
  }
  return plain;
}

function plainMembers(value: object, ancestors: readonly object[], budget: Budget): Readonly<Record<string, unknown>> {
  const plain: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    if (budget.left <= 0) break;
    budget.left -= key.length;
    plain.push([key, plainValue((value as Readonly<Record<string, unknown>>)[key], ancestors, budget)]);
  }
  return Object.fromEntries(plain);
}

function truncate(text: string, budget: Budget): string {
  const short = text.length <= budget.left ? text : `${text.slice(0, budget.left)}… ${text.length - budget.left} more`;
  budget.left -= Math.min(text.length, budget.left);
  return short;
}
