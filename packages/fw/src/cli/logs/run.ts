import { formatDuration, parseDuration } from "../../lib/duration.ts";
import { logEntries } from "../../lib/limits.ts";
import { visible } from "../../lib/visible.ts";
import type { LogEntry } from "../../workspace/log/entry.ts";
import { followLog } from "../../workspace/log/follow.ts";
import { readLog } from "../../workspace/log/read.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { printEntry } from "./print.ts";
import { serviceNames } from "./services.ts";

export interface LogsSettings {
  readonly service: string | undefined;
  /** A duration, as it was typed. */
  readonly since: string;
  readonly follow: boolean;
  readonly json: boolean;
}

/** Prints the log that the server of the application keeps, or kept while it ran. */
export async function printLogs({ service: given, since, follow, json }: LogsSettings, io: IO): Promise<ExitCode> {
  const root = appRoot(io.cwd);
  const names = await serviceNames(root);
  const window = parseDuration(since);
  if (window === undefined || window === 0)
    throw new Refusal(`"--since" is a duration such as 15m, 1h or 2d, not "${visible(since)}"; ${names.known}`);
  const service = given === undefined ? undefined : names.find(given);
  const print = (entries: readonly LogEntry[]): void =>
    io.out.write(entries.map((entry) => (json ? `${JSON.stringify(entry)}\n` : printEntry(entry))).join(""));
  const stopping = new AbortController();
  const done = io.onStop(() => stopping.abort());
  try {
    const later = followLog(root, stopping.signal);
    const entries = readLog(root, { since: Date.now() - window, most: logEntries, service });
    if (entries.length === 0 && !json)
      io.out.write(`there are no log entries in the window (${formatDuration(window)})\n`);
    print(entries);
    if (!follow) return 0;
    for await (const fresh of later) print(fresh.filter((entry) => service === undefined || entry.service === service));
    return 0;
  } finally {
    done();
  }
}
