import type { ConsoleEvent, Events, LogEvent } from "../../console/event-hub.ts";
import type { RequestEvent } from "../../console/recording/request-events.ts";
import { askConsole } from "./dev-server.ts";
import { ToolFailure, type ToolContext, type ToolValues } from "./tool.ts";

/** The default number of requests and log lines in a list. */
const defaultRequests = 50;
const defaultLines = 100;

/** Lists the newest requests, newest last. Can filter by route and minimum status. */
export async function recentRequests({ route, status, limit }: ToolValues, context: ToolContext): Promise<string> {
  const least = typeof status === "number" ? status : 0;
  const requests = (await events(context))
    .filter(isRequest)
    .filter((each) => (route === undefined || each.route === route) && each.status >= least);
  return lines(requests, limit ?? defaultRequests);
}

/** Lists the newest log lines, newest last. Can filter by service and severity. */
export async function recentLogs({ service, severity, limit }: ToolValues, context: ToolContext): Promise<string> {
  const logs = (await events(context))
    .filter(isLog)
    .filter((each) => service === undefined || each.service === service)
    .filter((each) => severity === undefined || each.severity === severity);
  return lines(logs, limit ?? defaultLines);
}

/** Returns a request with the other requests, the operations and the log lines of its trace. */
export async function requestWithLogs({ id }: ToolValues, context: ToolContext): Promise<string> {
  const all = await events(context);
  const request = all.filter(isRequest).find((each) => each.id === id);
  if (request === undefined)
    throw new ToolFailure(`no request "${String(id)}" among the newest; \`requests\` lists them`);
  const trace = all.filter(isRequest).filter((each) => each.trace === request.trace);
  const ids = new Set(trace.map((each) => each.id));
  const logs = all
    .filter(isLog)
    .filter(({ fields }) => ids.has(String(fields["req"])) || fields["trace"] === request.trace);
  const steps = all.filter((each) => each.kind === "span" && each.trace === request.trace);
  return JSON.stringify({ request, trace: trace.filter((each) => each !== request), steps, logs }, undefined, 2);
}

async function events(context: ToolContext): Promise<readonly ConsoleEvent[]> {
  return ((await askConsole("events", {}, context)) as Events).events;
}

function lines(found: readonly ConsoleEvent[], limit: unknown): string {
  const newest = found.slice(-Number(limit));
  return newest.length === 0 ? "none" : newest.map((each) => JSON.stringify(each)).join("\n");
}

function isRequest(event: ConsoleEvent): event is RequestEvent {
  return event.kind === "request";
}

function isLog(event: ConsoleEvent): event is LogEvent {
  return event.kind === "log";
}
