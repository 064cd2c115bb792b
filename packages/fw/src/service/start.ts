import { resolve } from "node:path";
import { isA, stackOf } from "../lib/thrown.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import { Background } from "../runtime/background/background.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { createService } from "../runtime/handler.ts";
import { checkDeclared, endLoading, WronglyWired } from "../runtime/known-declarations.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import { fixSecrets } from "../runtime/secret.ts";
import { serve } from "../runtime/server.ts";
import { settings } from "../runtime/settings.ts";
import { stopOnSignals } from "../runtime/signals.ts";
import { configurationOf, Misconfigured, type Configuration } from "./configuration.ts";
import { guardProcess, logConsoleTo, serviceLog, stopWith, takeConsole } from "./process.ts";
import { openTelemetry } from "./telemetry.ts";

/** Opens the data of a bundle in a directory. Rejects with a Misconfigured. */
type OpenData = (directory: string, bundle: Bundle) => Promise<LocalPlatform>;

export interface ServiceOptions {
  /** The service's name. */
  readonly name: string;
  /** The directory of its files, absolute. */
  readonly directory: string;
  /** Loads what opens its data; absent where it keeps none. */
  readonly data?: () => Promise<{ readonly openData: OpenData }>;
  /** Declarations of other services that its code names, as of `checkDeclared`. */
  readonly elsewhere?: readonly string[];
}

/**
 * What a service's process begins with, before any module of the application is loaded. Ends it, with a sentence for each, where
 * secrets are not set.
 */
export function prepareProcess(secrets: readonly string[]): void {
  guardProcess();
  // Beside others it runs where somebody works on it, and reads what code prints as it is.
  if (process.env["FW_PEERS"] === undefined) takeConsole();
  try {
    fixSecrets(secrets);
  } catch (error) {
    refuse((error as Error).message);
  }
}

/**
 * Runs a service in this process until a signal stops it. One that cannot start says why on standard error, a sentence a
 * line, and ends with exit code 1.
 */
export async function startService(bundle: Bundle, options: ServiceOptions): Promise<void> {
  try {
    checkDeclared(bundle, options.elsewhere);
    endLoading(bundle);
    await start(placed(bundle, options.directory), options);
  } catch (error) {
    refuse(sentencesOf(error, options.name));
  }
}

function refuse(sentences: string): never {
  process.stderr.write(`${sentences}\n`);
  process.exit(1);
}

async function start(bundle: Bundle, { name, data }: ServiceOptions): Promise<void> {
  const configuration = configurationOf(process.env);
  const { csrfKey, port, peers } = configuration;
  const told = { app: bundle.app, service: name, log: serviceLog };
  const telemetry = await openTelemetry(told, configuration);
  if (telemetry.options.log !== undefined) logConsoleTo(telemetry.options.log);
  const placing = await placingOf(bundle, name, telemetry.store, configuration, data);
  const { platform } = placing;
  const stopping = new AbortController();
  const { app, handler } = createService(bundle, {
    stopping: stopping.signal,
    ...telemetry.options,
    ...placing,
    injected: { ...telemetry.injected, ...placing.injected },
    ...(csrfKey && { csrfKey }),
  });
  const server = await serve(handler, peers ? { port, host: "127.0.0.1" } : { port });
  const background = new Background();
  if (platform !== undefined) background.use(app);
  const close = async (): Promise<void> => {
    stopping.abort(new Error("the service is stopping"));
    await Promise.all([server.close(), background.stop()]);
  };
  const flush = async (): Promise<void> => void (await Promise.all([telemetry.end(), platform?.close()]));
  // Ctrl-C reaches every process of the terminal: beside others, the one that started them decides what it means.
  if (peers) process.on("SIGINT", () => {});
  const signals = peers ? (["SIGTERM"] as const) : undefined;
  stopWith(stopOnSignals({ ...server, close }, { flush, ...(signals && { signals }) }));
  new TaggedLogger(serviceLog, {}).info("listening", { service: name, port: server.port });
}

/** On its own a service has its data to itself, and the key of its forms with it; beside others it shares their platform. */
async function placingOf(
  bundle: Bundle,
  name: string,
  store: MetricStore,
  { data: directory, peers, behindPlatform }: Configuration,
  data: ServiceOptions["data"],
): Promise<Pick<HandlerOptions, "settings" | "platform" | "csrfKey" | "stopping" | "injected">> {
  if (peers) return (await import("./peers.ts")).amongPeers(name, store);
  const platform = await (await data?.())?.openData(directory, bundle);
  return {
    settings: settings.built(behindPlatform ? "guarded" : "refused"),
    ...(platform && { platform, csrfKey: platform.secret("csrf") }),
  };
}

/** The bundle with its directories where they are. */
function placed(bundle: Bundle, directory: string): Bundle {
  const packages = bundle.packages.map((each) =>
    each.site === undefined ? each : { ...each, site: { ...each.site, dir: resolve(directory, each.site.dir) } },
  );
  return { ...bundle, packages };
}

function sentencesOf(error: unknown, name: string): string {
  if (isA(error, WronglyWired)) return `the service ${name} does not start: ${error.message}`;
  if (isA(error, Misconfigured) || (isA(error, Error) && "code" in error && error.code === "EADDRINUSE"))
    return error.message;
  return `the service ${name} does not start: ${stackOf(error)}`;
}
