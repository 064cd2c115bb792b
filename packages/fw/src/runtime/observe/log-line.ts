import { escape16 } from "../../lib/html-script.ts";
import { logLineCharacters } from "../../lib/limits.ts";
import { flattenMembers } from "../../lib/log-members.ts";
import { type ErrorText, errorTextOf, isA, stackOf } from "../../lib/thrown.ts";
import { visible } from "../../lib/visible.ts";
import type { LogLevel, LogRecord, LogSink } from "./log.ts";

const maxDepth = 8;

/** What a line has left for texts, and for what holds them. */
interface Budget {
  left: number;
}
const severities: Readonly<Record<LogLevel, string>> = {
  debug: "DEBUG",
  info: "INFO",
  warn: "WARNING",
  error: "ERROR",
};

/** One line of JSON, as the platform's log reader takes it. */
export function jsonLine(record: LogRecord): string {
  const fields = plainFields(record.fields);
  return lineOf({
    ...plainFields(record.members),
    severity: severities[record.level],
    time: record.at.toISOString(),
    message: cut(record.message, { left: logLineCharacters }),
    ...record.tags,
    ...(Object.keys(fields).length > 0 && { fields }),
  });
}

/** The JSON of a line. */
export function lineOf(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(members).replace(unsafe, escape16);
}

// What JSON leaves as it is though a terminal or a reader of lines takes it for more than a character.
const unsafe = /[\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A line for people: time, level, message, `key=value` fields and tags; stacks below it, indented. */
export function readableLine(record: LogRecord): string {
  const time = record.at.toISOString().slice(11, 23);
  const stacks = entriesOf(record.fields)
    .map(([, value]) => value)
    .filter((value) => isA(value, Error))
    .map((error) => cut(stackOf(error), { left: logLineCharacters }));
  const fields = Object.entries(flattenRecord(record)).map(([key, value]) => `${visible(key)}=${fieldText(value)}`);
  const head = [
    time,
    record.level.toUpperCase().padEnd(5),
    visible(cut(record.message, { left: logLineCharacters })),
    ...fields,
  ].join(" ");
  return [head, ...stacks.flatMap((stack) => stack.split("\n").map((line) => `    ${visible(line)}`))].join("\n");
}

/** Writes each record with one of the two formats above. */
export function lineSink(format: (record: LogRecord) => string, write: (line: string) => void): LogSink {
  return (record) => write(`${format(record)}\n`);
}

function fieldText(value: unknown): string {
  if (isErrorField(value)) return visible(JSON.stringify(value.message));
  return visible(typeof value === "string" && /^[\w./:@+-]+$/.test(value) ? value : (JSON.stringify(value) ?? ""));
}

function isErrorField(value: unknown): value is ErrorText {
  return typeof value === "object" && value !== null && "stack" in value && "message" in value;
}

/** The members, tags and fields of a record in one, as JSON can hold them. */
export function flattenRecord({ members, tags, fields }: LogRecord): Readonly<Record<string, unknown>> {
  return flattenMembers({ ...plainFields(members), ...tags }, plainFields(fields));
}

/** Fields as JSON can hold them. */
function plainFields(fields: LogRecord["fields"] = {}): Record<string, unknown> {
  const budget = { left: logLineCharacters };
  return Object.fromEntries(entriesOf(fields).map(([key, value]) => [key, readValue(value, budget)]));
}

/** The fields as they were given, one by one. */
function entriesOf(fields: LogRecord["fields"]): readonly (readonly [key: string, value: unknown])[] {
  try {
    return Object.entries(fields);
  } catch {
    return [["fields", "[unreadable]"]];
  }
}

/** A value as JSON can hold it, whatever it is: a log line never fails the request that writes it. */
function readValue(value: unknown, budget: Budget): unknown {
  try {
    return plainValue(value, [], budget);
  } catch {
    return "[unreadable]";
  }
}

function plainValue(value: unknown, above: readonly object[], budget: Budget): unknown {
  if (budget.left <= 0) return "[cut]";
  budget.left -= 1;
  if (typeof value === "string") return cut(value, budget);
  if (typeof value === "bigint") return cut(String(value), budget);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (isA(value, Error))
    return { message: cut(errorTextOf(value).message, budget), stack: cut(stackOf(value), budget) };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (above.includes(value)) return "[circular]";
  if (above.length === maxDepth) return "[deep]";
  const inside = [...above, value];
  if (Array.isArray(value)) return plainItems(value, inside, budget);
  return plainMembers(value, inside, budget);
}

/** The items for which there is room, and how many there are beyond. */
function plainItems(items: readonly unknown[], above: readonly object[], budget: Budget): readonly unknown[] {
  const plain: unknown[] = [];
  for (const item of items) {
    if (budget.left <= 0) return [...plain, `[${items.length - plain.length} more]`];
    plain.push(plainValue(item, above, budget));
  }
  return plain;
}

function plainMembers(value: object, above: readonly object[], budget: Budget): Readonly<Record<string, unknown>> {
  const plain: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    if (budget.left <= 0) break;
    budget.left -= key.length;
    plain.push([key, plainValue((value as Readonly<Record<string, unknown>>)[key], above, budget)]);
  }
  return Object.fromEntries(plain);
}

/** As much of a text as there is room for. */
function cut(text: string, budget: Budget): string {
  const kept = text.length <= budget.left ? text : `${text.slice(0, budget.left)}… ${text.length - budget.left} more`;
  budget.left -= Math.min(text.length, budget.left);
  return kept;
}
