import { redirectConsole } from "../runtime/observe/console.ts";
import { jsonLine, lineSink } from "../runtime/observe/log-line.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import { reportWarnings } from "./warnings.ts";

/** The log of a service: one line of JSON per record, on standard output. */
export const serviceLog: LogSink = lineSink(jsonLine, (line) => process.stdout.write(line));

/** Replaces the console's sink; a no-op unless the console is redirected. */
let redirect: (sink: LogSink) => void = () => {};

export function redirectConsoleToLog(): void {
  redirect = redirectConsole(serviceLog);
  const { warn } = console;
  reportWarnings((sentence) => warn(sentence));
}

/** Sends the console's lines to another sink. */
export function setConsoleSink(sink: LogSink): void {
  redirect(sink);
}
