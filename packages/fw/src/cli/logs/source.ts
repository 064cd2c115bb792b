import { setTimeout } from "node:timers/promises";
import type { LogEntry } from "../../workspace/log/entry.ts";
import { followLog } from "../../workspace/log/follow.ts";
import { readLog, type LogQuery } from "../../workspace/log/read.ts";
import type { Deployed } from "../deployed/deployed.ts";

/** A log of an application, optionally filtered by service. */
export interface LogSource {
  /** Returns the newest entries in the time window, in order of time. */
  newest(): Promise<readonly LogEntry[]>;
  /** Yields entries that are logged later, until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<readonly LogEntry[]>;
}

/** The log file of a dev server, running or stopped. */
export function localLog(root: string, query: LogQuery): LogSource {
  const { service } = query;
  // Follows the file before reading it, so that no entry written in between is lost.
  const stopping = new AbortController();
  const later = followLog(root, stopping.signal);
  return {
    newest: async () => readLog(root, query),
    async *follow(signal) {
      signal.addEventListener("abort", () => stopping.abort());
      if (signal.aborted) stopping.abort();
      for await (const fresh of later)
        yield fresh.filter((entry) => service === undefined || entry.service === service);
    },
  };
}

/** Opens the log of a deployed application at Google. */
export async function deployedLog(
  { app, place, connected }: Deployed,
  { since, service, most }: LogQuery,
): Promise<LogSource> {
  const { CloudLog, unitsOf } = await import("../../deploy/operate/logs.ts");
  const units = unitsOf(app, place).filter((unit) => service === undefined || unit.service === service);
  return new CloudLog({
    place,
    units,
    client: connected.client,
    since,
    limit: most,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  });
}
