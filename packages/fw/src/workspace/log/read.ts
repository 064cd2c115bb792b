import { readText } from "../../lib/read-file.ts";
import { recordIn } from "../../lib/record-in.ts";
import type { LogEntry } from "./entry.ts";
import { logPaths } from "./file.ts";

/** A query for log entries. */
export interface LogQuery {
  /** Milliseconds since the epoch; earlier entries are left out. */
  readonly since: number;
  /** Only entries of this service. */
  readonly service: string | undefined;
  /** The maximum number; the newest entries are returned. */
  readonly most: number;
}

/** Returns the newest entries of an application's log, oldest first. */
export function readLog(root: string, { since, service, most }: LogQuery): readonly LogEntry[] {
  const { previous, current } = logPaths(root);
  return [previous, current]
    .flatMap((path) => (readText(path) ?? "").split("\n"))
    .flatMap((line) => (recordIn(line) as LogEntry | undefined) ?? [])
    .filter((entry) => Date.parse(entry.time) >= since && (service === undefined || entry.service === service))
    .slice(-most);
}
