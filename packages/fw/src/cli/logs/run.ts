import { formatDuration, parseDuration } from "../../lib/duration.ts";
import { logEntries, logWindowMs } from "../../lib/limits.ts";
import { visible } from "../../lib/visible.ts";
import type { LogEntry } from "../../workspace/log/entry.ts";
import type { LogQuery } from "../../workspace/log/read.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { PartialTarget } from "../deploy/target.ts";
import type { IO } from "../io.ts";
import { serviceNames } from "./services.ts";
import { deployedLog, localLog, type LogSource } from "./source.ts";

export interface LogsSettings {
  readonly service: string | undefined;
  /** A duration as typed by the user; 15 minutes if absent. */
  readonly since: string | undefined;
  readonly follow: true | undefined;
  readonly json: true | undefined;
  /** The deployed application; absent for the log on this machine. */
  readonly target: PartialTarget | undefined;
}

/** Prints the log of the application on this machine, or of its deployment. */
export async function printLogs(settings: LogsSettings, io: IO): Promise<ExitCode> {
  const { service: typedName, since, target } = settings;
  const root = appRoot(io.cwd);
  const names = await serviceNames(root);
  const window = since === undefined ? logWindowMs : parseDuration(since);
  if (!window)
    throw new Refusal(
      `"--since" must be a duration such as 15m, 1h or 2d, not "${visible(since ?? "")}"; ${names.sentence}`,
    );
  const service = typedName === undefined ? undefined : names.find(typedName);
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
    if (entries.length === 0 && !json) io.out.write(`no log entries in the last ${formatDuration(window)}\n`);
    write(entries);
    if (follow) for await (const fresh of log.follow(stopping.signal)) write(fresh);
    return 0;
  } finally {
    done();
  }
}

/** Formats an entry to read: time, service, severity and text, with its fields below as `key: value`. */
function printEntry({ time, service, severity, message, fields }: LogEntry): string {
  const [head = "", ...below] = message.split("\n");
  const first = [time, visible(service), severity, visible(head)].join("  ").trimEnd();
  return `${[first, ...indented(below), ...Object.entries(fields).flatMap(([key, value]) => fieldLines(key, value))].join("\n")}\n`;
}

/** Puts a multi-line value below its key, so that its layout is preserved. */
function fieldLines(key: string, value: unknown): string[] {
  const lines = textOf(value).split("\n");
  const [only = ""] = lines;
  if (lines.length === 1) return indented([`${key}: ${only}`]);
  return [...indented([`${key}:`]), ...indented(indented(lines))];
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const stack = typeof value === "object" && value !== null ? (value as { stack?: unknown }).stack : undefined;
  return typeof stack === "string" ? stack : (JSON.stringify(value) ?? "");
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${visible(line)}`);
}
