import { redirectConsole } from "../runtime/observe/console.ts";
import { jsonLine, lineSink } from "../runtime/observe/log-line.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import { reportWarnings } from "./warnings.ts";

/** The log of a service: a line of JSON a record, on standard output. */
export const serviceLog: LogSink = lineSink(jsonLine, (line) => process.stdout.write(line));

/** Has another sink take what the console is given; nothing where the console is left as it is. */
let redirect: (sink: LogSink) => void = () => {};

/** From now on what code writes to the console, and Node's warnings, are lines of the log. */
export function takeConsole(): void {
  redirect = redirectConsole(serviceLog);
  const { warn } = console;
  reportWarnings((sentence) => warn(sentence));
}

/** From now on the console's lines go where all others go. */
export function logConsoleTo(sink: LogSink): void {
  redirect(sink);
}
