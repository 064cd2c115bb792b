import { formatDuration, parseDuration } from "../../lib/duration.ts";
import { logEntries, logWindowMs } from "../../lib/limits.ts";
import { visible } from "../../lib/visible.ts";
import type { LogEntry } from "../../workspace/log/entry.ts";
import { type LogQuery, readLog } from "../../workspace/log/read.ts";
import { appRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { PartialTarget } from "../deploy/target.ts";
import type { IO } from "../io.ts";
import { listOf, suggestion } from "../../lib/suggest.ts";
import { servicesOf } from "../../model/services.ts";
import { analyze } from "../checked-app.ts";
import { setTimeout } from "node:timers/promises";
import { followLog } from "../../workspace/log/follow.ts";
import type { Deployed } from "../deployed/deployed.ts";

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
  const stop = (): void => stopping.abort();
  const listeners = [io.onStop(stop), io.onUnread(stop)];
  try {
    const entries = await log.newest();
    if (entries.length === 0 && !json) io.out.write(`no log entries in the last ${formatDuration(window)}\n`);
    write(entries);
    if (follow) for await (const fresh of log.follow(stopping.signal)) write(fresh);
    return 0;
  } finally {
    for (const stopListening of listeners) stopListening();
  }
}

/** Formats an entry for the terminal: time, service, severity and text, with its fields below as `key: value`. */
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

/** The names of an application's services, which are known even if it has problems. */
interface ServiceNames {
  /**
   * Finds a service by its name, with or without the application's name and an environment as a prefix. Refuses an
   * unknown name.
   */
  readonly find: (typedName: string) => string;
  /** A sentence that lists the services. */
  readonly sentence: string;
}

async function serviceNames(root: string): Promise<ServiceNames> {
  const { app } = await analyze(root);
  const names = servicesOf(app).map(({ name }) => name);
  const sentence = names.length === 0 ? "the application has no services" : `the services are ${listOf(names, "and")}`;
  return {
    sentence: sentence,
    find(word) {
      const matches = names.filter((name) => word === name || isDeployed(word, app.name, name));
      // The end of one service's name may be another service's name.
      const [match] = matches.toSorted((one, other) => other.length - one.length);
      if (match !== undefined) return match;
      throw new Refusal(`there is no service "${visible(word)}": ${sentence}${suggestion(word, names)}`);
    },
  };
}

/** True if `word` is `<app>-<service>` or `<app>-<env>-<service>`. */
function isDeployed(word: string, app: string, service: string): boolean {
  if (!word.startsWith(`${app}-`) || !word.endsWith(`-${service}`)) return false;
  return /^(?:[a-z0-9-]+-)?$/.test(word.slice(app.length + 1, -service.length));
}

/** A log of an application, optionally filtered by service. */
interface LogSource {
  /** Returns the newest entries in the time window, in chronological order. */
  newest(): Promise<readonly LogEntry[]>;
  /** Yields entries that are logged later, until the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<readonly LogEntry[]>;
}

/** Opens the log file of a dev server, whether or not it runs. */
function localLog(root: string, query: LogQuery): LogSource {
  const { service } = query;
  // Follow the file before reading it, so that no entry written in between is lost.
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
async function deployedLog(
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
