import { formatDuration, parseDuration } from "../../lib/duration.ts";
import { logEntries, logWindowMs } from "../../lib/limits.ts";
import { visible } from "../../lib/visible.ts";
import type { LogEntry } from "../../workspace/log/entry.ts";
import type { LogQuery } from "../../workspace/log/read.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { GivenTarget } from "../deploy/target.ts";
import type { IO } from "../io.ts";
import { printEntry } from "./print.ts";
import { serviceNames } from "./services.ts";
import { deployedLog, localLog, type LogSource } from "./source.ts";

export interface LogsSettings {
  readonly service: string | undefined;
  /** A duration, as it was typed; absent for 15 minutes. */
  readonly since: string | undefined;
  readonly follow: true | undefined;
  readonly json: true | undefined;
  /** Where it is deployed; absent for the log of this machine. */
  readonly target: GivenTarget | undefined;
}

/** Prints the log of the application: the one that its server keeps here, or kept while it ran, or that of where it is deployed. */
export async function printLogs(settings: LogsSettings, io: IO): Promise<ExitCode> {
  const { service: given, since, target } = settings;
  const root = appRoot(io.cwd);
  const names = await serviceNames(root);
  const window = since === undefined ? logWindowMs : parseDuration(since);
  if (!window)
    throw new Refusal(`"--since" is a duration such as 15m, 1h or 2d, not "${visible(since ?? "")}"; ${names.known}`);
  const service = given === undefined ? undefined : names.find(given);
  const query: LogQuery = { since: Date.now() - window, service, most: logEntries };
  if (target === undefined) return print(localLog(root, query), window, settings, io);
  const { withDeployed } = await import("../deployed/deployed.ts");
  return withDeployed({ root, target, env: io.env }, async (deployed) =>
    print(await deployedLog(deployed, query), window, settings, io),
  );
}

async function print(log: LogSource, window: number, { follow, json }: LogsSettings, io: IO): Promise<ExitCode> {
  const write = (entries: readonly LogEntry[]): void =>
    io.out.write(entries.map((entry) => (json ? `${JSON.stringify(entry)}\n` : printEntry(entry))).join(""));
  const stopping = new AbortController();
  const done = io.onStop(() => stopping.abort());
  try {
    const entries = await log.newest();
    if (entries.length === 0 && !json)
      io.out.write(`there are no log entries in the window (${formatDuration(window)})\n`);
    write(entries);
    if (follow) for await (const fresh of log.follow(stopping.signal)) write(fresh);
    return 0;
  } finally {
    done();
  }
}
