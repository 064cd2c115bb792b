import { flattenLine } from "../../lib/log-members.ts";
import { recordIn } from "../../lib/record-in.ts";
import { visible } from "../../lib/visible.ts";
import { lineWithFields } from "../../runtime/observe/log-line.ts";

/** Formats a line of a service's output for the terminal: a log record, or other text after the service's name. */
export function serviceLine(service: string, line: string): string {
  const record = recordIn(line) ?? {};
  const { severity, time, message } = record;
  if (typeof severity !== "string" || typeof message !== "string") return `${service}  ${visible(line)}\n`;
  const words = [String(time).slice(11, 23), severity.padEnd(7), service, message];
  return `${lineWithFields(words, flattenLine(record))}\n`;
}

/** Formats the message about a service that is slow to start. */
export function slowSentence(service: string, seconds: number): string {
  return `the service ${service} has not started to listen after ${seconds} seconds: does a module await something at its top level?`;
}
