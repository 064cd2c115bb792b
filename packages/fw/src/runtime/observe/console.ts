import { format, inspect } from "node:util";
import { hasBrand } from "../../declare/brand.ts";
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
 * Redirects the console to the log. A context among the arguments adds its tags to the line, and the first error
 * becomes a field with its stack. The other arguments and the errors' messages form the message. The console's other
 * methods call the redirected ones. Returns a function that changes the sink.
 */
export function redirectConsole(sink: LogSink): (next: LogSink) => void {
  const target: Console = console;
  let current = sink;
  const own = new TaggedLogger((record) => current(record), {});
  for (const [method, level] of Object.entries(levels) as [Method, LogLevel][]) {
    target[method] = (...values: unknown[]): void => {
      const context = values.find(isContext);
      const args = values.filter((each) => each !== context);
      const error = args.find((each) => isA(each, Error));
      const logger = context === undefined ? own : context.log;
      logger[level](formatArguments(args), error === undefined ? {} : { error });
    };
  }
  target.dir = (value: unknown): void => target.log(inspectSafely(value));
  return (next) => void (current = next);
}

function isContext(value: unknown): value is Context {
  return hasBrand(value, HOST);
}

/** Formats the arguments like Node, but errors as their messages, because the first error's stack becomes a field. */
function formatArguments(args: readonly unknown[]): string {
  try {
    return format(...args.map((each) => (isA(each, Error) ? messageOf(each) : each)));
  } catch {
    return args.map(inspectSafely).join(" ");
  }
}

/** Formats a value, which may throw when it is inspected. */
function inspectSafely(value: unknown): string {
  try {
    return typeof value === "string" ? value : inspect(value);
  } catch {
    return "[unreadable]";
  }
}
