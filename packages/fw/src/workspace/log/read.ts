import { readText } from "../../lib/read-file.ts";
import { recordIn } from "../../lib/record-in.ts";
import type { LogEntry } from "./entry.ts";
import { logPaths } from "./file.ts";

export interface LogQuery {
  /** Milliseconds since 1970; excludes earlier entries. */
  readonly since: number;
  /** Includes only entries of this service; undefined for all services. */
  readonly service: string | undefined;
  /** The maximum number of entries to return, counted from the newest. */
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
