import { createHash, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { Console, type ConsoleAccess } from "../../console/console.ts";
import { EventHub } from "../../console/event-hub.ts";
import { BadInput } from "../../console/input.ts";
import type { TraceSelection } from "../../console/sampling/trace-sampler.ts";
import { processLoadReader } from "../../console/timeline/process-load.ts";
import { recordTimeline } from "../../console/timeline/record-timeline.ts";
import type { Logger } from "../../declare/context.ts";
import { alertRules } from "../../model/alert-rules.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { InspectedPlatform } from "../../platform/local/open.ts";
import type { Fields } from "../../platform/values.ts";
import { guardedHandler } from "../../runtime/guarded-handler.ts";
import type { Request } from "../../runtime/request.ts";
import { refuse } from "../../runtime/response/error.ts";
import { sendEmpty } from "../../runtime/response/send.ts";
import { injectedPath } from "../../runtime/exchange/http-guard.ts";
import { serve, type RunningServer } from "../../runtime/server.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import type { Topology } from "../../topology/topology.ts";
import { typeCheckOf } from "../data/type-check.ts";
import { runCronOn, servicesCollector } from "../services/console.ts";
import type { ConsoleModel } from "../../generate/console-model.ts";
import { entryOf } from "../../workspace/log/entry.ts";
import { OperatorLog } from "./operator-log.ts";
import { statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { version } from "../version.ts";

export interface DashboardSettings {
  /** 0 for any free port. */
  readonly port: number;
  /** The password of operators. They may use any user name, which appears in the log. */
  readonly key: string;
  /** Undefined if services record no traces. */
  readonly traces: TraceSelection | undefined;
}

interface Dashboard extends DashboardSettings, Omit<ServerStateSource, "operators" | "traces"> {
  readonly platform: InspectedPlatform;
  readonly model: () => ConsoleModel | undefined;
  readonly log: Logger;
}

export interface RunningDashboard extends RunningServer {
  /** Receives the lines that services write. */
  readonly noteLine: (service: string, line: string, stream?: "stdout" | "stderr") => void;
}

/** The console operations on the dashboard: reads, cron runs, and changes to messages, runs and sessions. */
const operations: ConsoleAccess["operations"] = {
  accounts: "reads",
  "accounts/sign-out": "changes",
  alerts: "reads",
  "crons/run": "changes",
  events: "reads",
  messages: "reads",
  "messages/drop": "changes",
  "messages/hasten": "changes",
  "messages/pending": "reads",
  "messages/replay": "changes",
  metrics: "reads",
  model: "reads",
  runs: "reads",
  "runs/cancel": "changes",
  schedules: "reads",
  server: "reads",
  status: "reads",
  steps: "reads",
  timeline: "reads",
};

/** The sections of a dashboard without traces. */
const sections = ["metrics", "messages", "schedules", "users", "application", "server"];

/** Serves the operators' dashboard on a separate port, to clients on this machine only. */
export async function openDashboard({ port, key, traces, log, ...sources }: Dashboard): Promise<RunningDashboard> {
  const hub = new EventHub();
  const operators = new OperatorLog(join(sources.directory, "operators.jsonl"));
  const parts = { ...partsOf({ ...sources, hub }), server: serverState({ ...sources, operators, traces }) };
  const console = new Console(parts, undefined, {
    sections: traces === undefined ? sections : ["requests", "steps", ...sections],
    operations,
    audit: (change) => {
      log.info(`operator ${change.operator}: ${change.operation}`, { ...change });
      operators.add({ at: Date.now(), ...change });
    },
    operatorOf: (request) => operatorOf(request, key) ?? "",
  });
  const handler = guardedHandler({}, (request) => {
    if (operatorOf(request, key) === undefined) return askForKey(request);
    const rest = /^console(?:\/(.*))?$/.exec(injectedPath(request.path) ?? "");
    if (rest !== null) return console.answer(request, rest[1] ?? "");
    if (request.path === "/") return sendEmpty(request, 302, ["Location", "/_fw/console"]);
    refuse(request, { status: 404, message: "not found" });
  });
  const server = await serve(handler, { port, host: "127.0.0.1" });
  return { ...server, noteLine: errorListener(hub) };
}

function partsOf({
  platform,
  topology,
  model,
  hub,
}: Pick<Dashboard, "platform" | "topology" | "model"> & { readonly hub: EventHub }) {
  const readLoad = processLoadReader();
  const collect = servicesCollector(hub, topology, true);
  const metrics = (): ReturnType<Topology["metrics"]["snapshot"]> => topology.metrics.snapshot();
  const openPlatform = async (): Promise<InspectedPlatform> => platform;
  return {
    root: "",
    hub,
    collect,
    redact: (value: unknown) => value,
    model,
    platform: openPlatform,
    definitions: () => definitionsOfModel(topology.app),
    documentProblem: (kind: string, id: string, fields: Fields) => typeCheckOf(topology.app).document(kind, id, fields),
    references: () => allOfKind(topology.app.packages, "entity"),
    metrics,
    timeline: recordTimeline({
      metrics,
      platform: openPlatform,
      processes: async () => {
        await collect();
        return { "fw serve": readLoad(), ...hub.takeLoads() };
      },
      failures: () => hub.takeFailures(),
      totals: () => hub.takeTotals(),
    }),
    alerts: () => ({ rules: alertRules(topology.app), firing: topology.metrics.firing() }),
    runCron: (name: string) => runCronOn(topology, name),
    startJob: () => Promise.reject(new BadInput('start jobs with "fw run job"')),
  };
}

/** Returns a function that adds the errors in the logs of services to a hub, because they explain failed requests. */
function errorListener(hub: EventHub): RunningDashboard["noteLine"] {
  return (service, line, stream) => {
    if (!line.includes('"ERROR"')) return;
    const { time, ...entry } = entryOf(service, line, stream);
    if (entry.severity === "ERROR") hub.add({ kind: "log", at: Date.parse(time), ...entry });
  };
}

/** Asks the browser for a name and the key. */
function askForKey(request: Request): void {
  sendEmpty(request, 401, [
    "WWW-Authenticate",
    'Basic realm="fw dashboard", charset="UTF-8"',
    "Cache-Control",
    "no-store",
  ]);
}

/** Returns the name of the operator who sent the request; undefined unless the request has the right key. */
function operatorOf({ exchange }: Request, key: string): string | undefined {
  const [scheme = "", encoded = ""] = (exchange.header("authorization") ?? "").split(" ");
  if (scheme.toLowerCase() !== "basic") return undefined;
  const [, name = "", password = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  return timingSafeEqual(digest(password), digest(key)) ? name || "operator" : undefined;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

interface ServerStateSource {
  readonly topology: Topology;
  /** The data directory, or the machine's own directory next to a database. */
  readonly directory: string;
  readonly build: string;
  readonly hasDatabase: boolean;
  /** The time of the last backup since the start, in milliseconds since 1970; undefined if there was none. */
  readonly lastBackup: () => number | undefined;
  readonly operators: OperatorLog;
  /**
   * The share of ordinary requests to keep traces of, and the duration that makes a request slow; undefined for no
   * traces.
   */
  readonly traces: { readonly share: number; readonly slow: number } | undefined;
}

/** Returns a function that describes a server: its versions, services, disk, backups and changes. */
function serverState(source: ServerStateSource): () => Promise<object> {
  const started = Date.now();
  const { topology, directory, build, hasDatabase, lastBackup, operators, traces } = source;
  return async () => {
    const { bavail, blocks, bsize } = await statfs(directory);
    return {
      versions: { fw: version(), node: process.version, build: statSync(build).mtimeMs },
      machine: hostname(),
      started,
      disk: { directory, free: bavail * bsize, total: blocks * bsize },
      data: hasDatabase ? "database" : "directory",
      backup: lastBackup() ?? null,
      services: [...topology.pools].map(([name, { processes }]) => ({
        name,
        processes: processes.length,
        listening: processes.filter(({ isListening }) => isListening).length,
        inProgress: processes.reduce((sum, { workCount }) => sum + workCount, 0),
      })),
      traces: traces ?? null,
      changes: operators.list(),
    };
  };
}
