import { setTimeout } from "node:timers/promises";
import type { LogEntry } from "../../workspace/log/entry.ts";
import { followLog } from "../../workspace/log/follow.ts";
import { readLog, type LogQuery } from "../../workspace/log/read.ts";
import type { Deployed } from "../deployed/deployed.ts";

/** A log of an application, of which a service may be asked for alone. */
export interface LogSource {
  /** The newest entries of the window, the oldest of them first. */
  newest(): Promise<readonly LogEntry[]>;
  /** What is logged after them, until the signal. */
  follow(signal: AbortSignal): AsyncIterable<readonly LogEntry[]>;
}

/** The log that a dev server keeps, or kept while it ran. */
export function localLog(root: string, query: LogQuery): LogSource {
  const { service } = query;
  // What is written between the two is told by the second.
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

/** The log that Google keeps of a deployed application. */
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
