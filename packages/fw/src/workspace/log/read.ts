import { readText } from "../../lib/read-file.ts";
import { recordIn } from "../../lib/record-in.ts";
import type { LogEntry } from "./entry.ts";
import { logPaths } from "./file.ts";

/** Which entries of a log are asked for. */
export interface LogQuery {
  /** Milliseconds since the epoch: entries of before are left out. */
  readonly since: number;
  /** The one service whose entries are wanted. */
  readonly service: string | undefined;
  /** How many, the newest of them. */
  readonly most: number;
}

/** The newest entries of the log that the server of an application keeps or has kept, oldest first. */
export function readLog(root: string, { since, service, most }: LogQuery): readonly LogEntry[] {
  const { previous, current } = logPaths(root);
  return [previous, current]
    .flatMap((path) => (readText(path) ?? "").split("\n"))
    .flatMap((line) => (recordIn(line) as LogEntry | undefined) ?? [])
    .filter((entry) => Date.parse(entry.time) >= since && (service === undefined || entry.service === service))
    .slice(-most);
}
