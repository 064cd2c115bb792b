import { eventCollector, type CollectedProcess } from "../../console/collect.ts";
import { Console } from "../../console/console.ts";
import type { EventHub } from "../../console/event-hub.ts";
import type { MailCatcher } from "../../console/mail-catcher.ts";
import { mailPath, type PreviewedMail, type RenderedMail } from "../../console/mail-rendering.ts";
import { encodeTagged } from "../../lib/tagged-json.ts";
import type { Request } from "../../runtime/request.ts";
import { BadInput } from "../../console/input.ts";
import type { ConsoleParts } from "../../console/parts.ts";
import { processLoadReader } from "../../console/timeline/process-load.ts";
import { recordTimeline } from "../../console/timeline/record-timeline.ts";
import { alertRules } from "../../model/alert-rules.ts";
import { allOfKind, consumersOf, ofKind } from "../../model/declarations.ts";
import type { LocalPlatform } from "../../platform/local/open.ts";
import type { Topology } from "../../topology/topology.ts";
import { readConsoleModel } from "../../workspace/generated-files.ts";
import { typeCheckOf } from "../data/type-check.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";

interface ServicesConsoleOptions {
  readonly root: string;
  readonly hub: EventHub;
  readonly mails: MailCatcher;
  readonly redact: ConsoleParts["redact"];
  readonly platform: LocalPlatform;
  /** Called only after the topology has started. */
  readonly topology: () => Topology;
}

/** Creates the console for services in separate processes. It asks them for their state. */
export function servicesConsole({ root, hub, mails, redact, platform, topology }: ServicesConsoleOptions): Console {
  let collect: (() => Promise<void>) | undefined;
  const collectAll = (): Promise<void> => (collect ??= servicesCollector(hub, topology(), false))();
  const readLoad = processLoadReader();
  const timeline = recordTimeline({
    metrics: () => topology().metrics.snapshot(),
    platform: async () => platform,
    processes: async () => {
      await collectAll();
      return { "fw dev": readLoad(), ...hub.takeLoads() };
    },
    failures: () => hub.takeFailures(),
    totals: () => hub.takeTotals(),
  });
  return new Console({
    root,
    hub,
    mails,
    renderMail: (request, mail) => renderMailOn(topology(), request, mail),
    redact,
    collect: collectAll,
    model: () => readConsoleModel(root),
    platform: async () => platform,
    definitions: () => definitionsOfModel(topology().app),
    documentProblem: (kind, id, fields) => typeCheckOf(topology().app).document(kind, id, fields),
    references: () => allOfKind(topology().app.packages, "entity"),
    metrics: () => topology().metrics.snapshot(),
    timeline,
    alerts: () => ({ rules: alertRules(topology().app), firing: topology().metrics.firing() }),
    runCron: (name) => runCronOn(topology(), name),
    startJob: async (_request, name, json) => {
      const consumers = topology().app.packages.flatMap(consumersOf);
      const runner = consumers.find(({ kind, source }) => kind === "runner" && source.name === name);
      const path = `dev/operate/jobs/${encodeURIComponent(name)}`;
      return JSON.parse(await postTo(topology(), runner?.service, path, json)) as unknown;
    },
  });
}

/** Renders a mail in a service that sends it, in the language that the request accepts. */
async function renderMailOn(topology: Topology, { exchange }: Request, mail: PreviewedMail): Promise<RenderedMail> {
  const { app, pools } = topology;
  const owner = app.packages.find((pkg) => ofKind(pkg, "mail").some(({ name }) => name === mail.name))?.service;
  const services = new Set([...(owner !== undefined && pools.has(owner) ? [owner] : []), ...pools.keys()]);
  const headers = { "accept-language": exchange.header("accept-language") ?? "" };
  for (const service of services) {
    const { status, text } = await topology.post(service, mailPath, encodeTagged(mail), { headers });
    if (status < 300) return JSON.parse(text) as RenderedMail;
    if (status !== 404) throw new BadInput(`${service} responded with ${status}; see its log`);
  }
  throw new BadInput(`no service sends the mail "${mail.name}"`);
}

/** Returns a function that adds the events of all services to a hub. */
export function servicesCollector(hub: EventHub, topology: Topology, isSampled: boolean): () => Promise<void> {
  const collect = eventCollector(hub, isSampled);
  return () => collect(listeningProcesses(topology));
}

/** Runs a cron in the service that declares it, and waits for its end. */
export async function runCronOn(topology: Topology, name: string): Promise<void> {
  const owner = topology.app.packages.find((pkg) => ofKind(pkg, "cron").some((cron) => cron.name === name));
  await postTo(topology, owner?.service, `api/cron/${encodeURIComponent(name)}`, "");
}

function listeningProcesses(topology: Topology): CollectedProcess[] {
  return [...topology.pools].flatMap(([service, { processes }]) =>
    processes.flatMap((process, index) => {
      if (!process.isListening) return [];
      const name = processes.length === 1 ? service : `${service} ${index + 1}`;
      const post: CollectedProcess["post"] = (path, body) => topology.postTo(process, path, body);
      return [{ name, id: `${service} ${process.pid}`, post }];
    }),
  );
}

async function postTo(topology: Topology, service: string | undefined, path: string, body: string): Promise<string> {
  if (service === undefined) throw new BadInput("no service of the application handles it");
  const { status, text } = await topology.post(service, path, body);
  if (status >= 300) throw new BadInput(refusalIn(status, text) ?? `${service} responded with ${status}; see its log`);
  return text;
}

/** Returns the service's reason for refusing the input; undefined for a failure. */
function refusalIn(status: number, text: string): string | undefined {
  if (status >= 500) return undefined;
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
