import { pathToFileURL } from "node:url";
import { isOwnHost, type OwnHosts } from "../../lib/own-host.ts";
import { counted } from "../../lib/counted.ts";
import { localPages, servedRelay } from "../../lib/own-modules.ts";
import { CallVerifier } from "../../platform/call-verifier.ts";
import { newCallKeys } from "../../platform/calls.ts";
import { observeSent } from "../../platform/local/observe-sent.ts";
import type { LocalPlatform } from "../../platform/local/open.ts";
import { Topology } from "../../topology/topology.ts";
import { entryOf } from "../../workspace/log/entry.ts";
import { readEnv } from "../../workspace/env.ts";
import { LogFile } from "../../workspace/log/file.ts";
import { answerOpenApi } from "../../runtime/routing/openapi.ts";
import { readConsoleModel, readOpenApi } from "../../workspace/generated-files.ts";
import { projectCommands } from "../../workspace/project-commands.ts";
import type { DataLocation } from "../../workspace/branch-data.ts";
import { devCall, devServerOf } from "../../workspace/announcement.ts";
import { servicesOf } from "../../model/services.ts";
import type { App } from "../../model/app.ts";
import type { BuiltApp } from "../../build/manifest.ts";
import { asksWelcome, sendWelcome } from "../../console/welcome/welcome.ts";
import { MailCatcher } from "../../console/mail-catcher.ts";
import { EventHub } from "../../console/event-hub.ts";
import { recordExchanges } from "../../console/recording/record-exchanges.ts";
import { openData } from "../data/open.ts";
import type { IO } from "../io.ts";
import { servicesConsole } from "./console.ts";
import { terminalPalette } from "../print/colour.ts";
import { startLines } from "../print/start-lines.ts";
import { serviceLine, slowSentence } from "./line.ts";
import type { ReleasePlan } from "./plan.ts";

export interface ServicesLocation {
  readonly root: string;
  readonly port: number;
  readonly hosts: OwnHosts;
}

export interface OpenServices {
  readonly platform: LocalPlatform;
  readonly topology: Topology;
  /**
   * Starts every service and announces them to commands of the same user. On failure, closes everything and rejects.
   */
  start(signal: AbortSignal): Promise<void>;
  /**
   * Prints the application's address. At the first start, with `sources`, also prints the console's address, the test
   * command and the changes since the last start, in one write.
   */
  describe(sources: ReadonlyMap<string, string> | undefined): void;
}

interface PlannedBuild {
  readonly built: BuiltApp;
  readonly data: DataLocation;
  readonly plan: ReleasePlan;
}

/** Opens the data of an application. The result can then start and describe its services. */
export async function openServices(
  { built, plan, data }: PlannedBuild,
  place: ServicesLocation,
  io: IO,
  signal: AbortSignal,
): Promise<OpenServices> {
  const { root, hosts } = place;
  const { app } = built;
  const commands = newCallKeys();
  const { platform, mails } = await openObserved(data, app, root, signal);
  const topology = newTopology({ plan, platform, mails, commandKey: commands.publicKey }, place, io);
  const start = async (stopping: AbortSignal): Promise<void> => {
    io.progress.step(`starting ${counted(servicesOf(app).length, "service")}`);
    try {
      await topology.start(app, await plan.releasesOf(built), stopping);
    } catch (error) {
      await platform.close();
      throw error;
    } finally {
      io.progress.end();
    }
    const { port } = topology;
    devServerOf(root).announce({ port, host: hosts.listensOn, pid: process.pid, callKey: commands.privateKey });
  };
  const describe: OpenServices["describe"] = (sources) => {
    const url = `http://localhost:${topology.port}`;
    const lines = sources === undefined ? [] : startLines({ root, app, sources }, url, terminalPalette(io));
    const first = `${app.name} runs at ${url}, ${counted(topology.pools.size, "service")}`;
    io.out.write(`${[first, ...lines].join("\n")}\n`);
  };
  return { platform, topology, start, describe };
}

/** Opens the data, and catches the mails that services send, which the console shows. */
async function openObserved(
  data: DataLocation,
  app: App,
  root: string,
  signal: AbortSignal,
): Promise<Pick<TopologyParts, "platform" | "mails">> {
  const mails = new MailCatcher();
  return { platform: observeSent(await openData(data, app, { root, signal }), mails.observer), mails };
}

interface TopologyParts {
  readonly plan: ReleasePlan;
  readonly platform: LocalPlatform;
  readonly mails: MailCatcher;
  readonly commandKey: string;
}

function newTopology(
  { plan, platform, mails, commandKey }: TopologyParts,
  { root, hosts, port }: ServicesLocation,
  io: IO,
): Topology {
  const commands = new CallVerifier(devCall.audience, { [devCall.invoker]: commandKey });
  const hub = new EventHub();
  // Record client requests here: they reach the services in frames, and services record only each other's calls.
  recordExchanges(hub.addExchange, { ...io.env, ...readEnv(root, io.env) });
  const log = new LogFile(
    root,
    () => plan.secrets,
    ({ time, ...entry }) => hub.add({ kind: "log", at: Date.parse(time), ...entry }),
  );
  const tell = (service: string, message: string): void => {
    io.out.write(`${message}\n`);
    log.append({ time: new Date().toISOString(), severity: "ERROR", service, message, fields: {} });
  };
  const page = servicesConsole({
    root,
    hub,
    mails,
    redact: (value) => log.redact(value),
    platform,
    topology: () => topology,
  });
  const topology: Topology = new Topology({
    platform,
    listens: { port, host: hosts.listensOn },
    consolePage: (request, rest) => page.answer(request, rest),
    welcome: {
      asks: asksWelcome,
      answer: async (request) =>
        sendWelcome(request, { root, model: readConsoleModel(root), commands: projectCommands(root), tail: "" }),
    },
    openApi: async (request) => answerOpenApi(request, readOpenApi(root)),
    isCommand: (token) => commands.refusal(token, devCall.invoker, Date.now()) === undefined,
    isOwnHost: (header) => isOwnHost(header, hosts),
    relay: pathToFileURL(servedRelay).href,
    pages: pathToFileURL(localPages).href,
    console: {
      line(service, line, stream) {
        io.out.write(serviceLine(service, line));
        log.append(entryOf(service, line, stream));
      },
      slow: (service, seconds) => tell(service, slowSentence(service, seconds)),
      exited: (service, how) => tell(service, `the service ${service} was restarted: ${how}`),
      failed: (service, how) =>
        tell(service, `the service ${service} does not start: ${how}. Save a fix to restart it`),
    },
  });
  return topology;
}
