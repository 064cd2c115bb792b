import { format, inspect } from "node:util";
import { HOST } from "../../declare/slot.ts";
import type { Context } from "../../declare/context.ts";
import { isA, messageOf } from "../../lib/thrown.ts";
import { TaggedLogger, type LogLevel, type LogSink } from "./log.ts";

type Method = "debug" | "log" | "info" | "warn" | "error";

const levels: Readonly<Record<Method, LogLevel>> = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
};

/**
 * From now on what code writes to the console is a line of the log. A context among the arguments gives the line its tags, an error is a
 * field with its stack, and the rest is the message. The console's other methods write by these. Returns what has another sink take them.
 */
export function consoleTo(sink: LogSink, target: Console = console): (next: LogSink) => void {
  let current = sink;
  const own = new TaggedLogger((record) => current(record), {});
  for (const [method, level] of Object.entries(levels) as [Method, LogLevel][]) {
    target[method] = (...given: unknown[]): void => {
      const context = given.find(isContext);
      const args = given.filter((each) => each !== context);
      const error = args.find((each) => isA(each, Error));
      const logger = context === undefined ? own : context.log;
      logger[level](textOf(args), error === undefined ? {} : { error });
    };
  }
  target.dir = (value: unknown): void => target.log(inspected(value));
  return (next) => void (current = next);
}

function isContext(value: unknown): value is Context {
  try {
    return typeof value === "object" && value !== null && HOST in value;
  } catch {
    return false;
  }
}

/** As node writes it, but for errors, whose stacks are a field. */
function textOf(args: readonly unknown[]): string {
  try {
    return format(...args.map((each) => (isA(each, Error) ? messageOf(each) : each)));
  } catch {
    return args.map(inspected).join(" ");
  }
}

/** Values that throw when they are looked at are not. */
function inspected(value: unknown): string {
  try {
    return typeof value === "string" ? value : inspect(value);
  } catch {
    return "[unreadable]";
  }
}
