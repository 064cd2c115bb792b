import { readText } from "../../lib/read-file.ts";
import { recordIn } from "../../lib/record-in.ts";
import type { LogEntry } from "./entry.ts";
import { logPaths } from "./file.ts";

export interface LogQuery {
  /** Milliseconds since the epoch: entries of before are left out. */
  readonly since: number;
  /** The newest so many. */
  readonly most: number;
  readonly service: string | undefined;
}

/** Entries of the log that the server of an application keeps or has kept, oldest first. */
export function readLog(root: string, { since, most, service }: LogQuery): readonly LogEntry[] {
  const { previous, current } = logPaths(root);
  return [previous, current]
    .flatMap((path) => (readText(path) ?? "").split("\n"))
    .flatMap((line) => entryIn(line) ?? [])
    .filter((entry) => Date.parse(entry.time) >= since && (service === undefined || entry.service === service))
    .slice(-most);
}

/** Undefined for a line that is not whole yet, or that nobody wrote here. */
export function entryIn(line: string): LogEntry | undefined {
  return recordIn(line) as LogEntry | undefined;
}
