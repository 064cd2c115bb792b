import { setMaxListeners } from "node:events";
import { resolve } from "node:path";
import { loadProbe } from "../lib/load-probe.ts";
import { isA, stackOf } from "../lib/thrown.ts";
import { Background } from "../runtime/background/background.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { usesBackground } from "../runtime/capabilities.ts";
import { createService } from "../runtime/handler.ts";
import { checkDeclared, endLoading, DeclarationMismatch } from "../runtime/check-declarations.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import type { MetricStore } from "../runtime/observe/metrics/store.ts";
import { fixSecrets } from "../runtime/secrets.ts";
import { serve } from "../runtime/server.ts";
import { stopOnSignals } from "../runtime/signals.ts";
import { configurationOf, ConfigurationError, requirePlatform } from "./configuration.ts";
import type { ServicePlatform } from "./platform.ts";
import { setConsoleSink, serviceLog, redirectConsoleToLog } from "./log.ts";
import { guardProcess, setStop } from "./process.ts";
import { openTelemetry } from "./telemetry.ts";

export interface ServiceOptions {
  readonly name: string;
  /** The absolute directory of the service's files. */
  readonly directory: string;
  readonly platform: ServicePlatform;
  /** Declarations of other services that the service's code contains, for `checkDeclared`. */
  readonly elsewhere?: readonly string[];
}

/**
 * Prepares a service's process before any application module is loaded. If secrets are missing, prints a message for
 * each and exits.
 */
export function prepareProcess(secrets: readonly string[]): void {
  if (loadProbe()) return;
  guardProcess();
  // In development, the console prints unchanged.
  if (process.env["FW_PEERS"] === undefined || process.env["FW_SERVED"] !== undefined) redirectConsoleToLog();
  try {
    fixSecrets(secrets);
  } catch (error) {
    refuse((error as Error).message);
  }
}

/**
 * Runs a service in this process until a signal stops it. If the service cannot start, prints the reasons to standard
 * error and exits with code 1.
 */
export async function startService(bundle: Bundle, options: ServiceOptions): Promise<void> {
  const probe = loadProbe();
  try {
    checkDeclared(bundle, options.elsewhere);
    endLoading(bundle);
    if (probe) return probe.loaded();
    await start(resolveDirectories(bundle, options.directory), options);
  } catch (error) {
    if (probe) throw error;
    refuse(startFailure(error, options.name));
  }
}

function refuse(sentences: string): never {
  process.stderr.write(`${sentences}\n`);
  process.exit(1);
}

async function start(bundle: Bundle, options: ServiceOptions): Promise<void> {
  const service = await openService(bundle, options);
  const { app, task, stopping, flush } = service;
  if (task !== undefined) return endAfterTask(task(app), stopping, flush);
  await listen(service, options.name);
}

/** A service that does not accept requests yet. */
type OpenService = Awaited<ReturnType<typeof openService>>;

async function openService(bundle: Bundle, { name, directory, platform: builtFor }: ServiceOptions) {
  requirePlatform(builtFor.name, process.env);
  const configuration = configurationOf(process.env);
  const log = new TaggedLogger(serviceLog, {}, undefined, true);
  const openStore = metricStoreOpener((sentence) => log.warn(sentence));
  const stopping = new AbortController();
  // Every operation in progress adds a listener to the signal.
  setMaxListeners(0, stopping.signal);
  const placement = await builtFor.place({ name, directory, bundle, stopping, openStore });
  const source = { app: bundle.app, service: name, openStore, log: placement.log ?? serviceLog };
  const telemetry = await openTelemetry(source, { ...placement, ...configuration });
  setConsoleSink(telemetry.options.log);
  return {
    ...placement,
    ...createService(bundle, {
      stopping: stopping.signal,
      ...placement.options,
      // The telemetry's `follow` replaces a dashboard's, because it records the first outgoing request, too.
      ...telemetry.options,
      injected: { ...telemetry.injected, ...placement.options.injected },
      ...(configuration.csrfKey && { csrfKey: configuration.csrfKey }),
    }),
    log,
    port: configuration.port,
    stopping,
    flush: async (): Promise<void> => {
      const sent = telemetry.end();
      // Sending the last metrics needs the platform's connections.
      if (placement.exporter !== undefined) await sent;
      await Promise.all([sent, placement.options.platform?.close()]);
    },
  };
}

/** Starts to handle requests and background work, until a signal stops the process. */
async function listen(service: OpenService, name: string): Promise<void> {
  const { app, handler, log, port, supervised, listenForFront, stopping, flush } = service;
  const relay = await listenForFront?.(handler);
  const server = await serve(handler, supervised ? { port, host: "127.0.0.1" } : { port });
  const background = usesBackground ? new Background() : undefined;
  if (service.options.platform !== undefined) background?.use(app);
  const close = async (): Promise<void> => {
    stopping.abort(new Error("the service is stopping"));
    await Promise.all([server.close(), relay?.close(), background?.stop()]);
  };
  // Ctrl-C reaches every process of the terminal, but only the parent process handles it.
  if (supervised) process.on("SIGINT", () => {});
  const signals = supervised ? (["SIGTERM"] as const) : undefined;
  setStop(stopOnSignals({ ...server, close }, { flush, ...(signals && { signals }) }));
  log.info("listening", { service: name, port: server.port, ...(relay && { relayPort: relay.port }) });
}

/** Returns a function that opens the metric store of the process on its first call and then returns the same one. */
function metricStoreOpener(warn: (sentence: string) => void): () => Promise<MetricStore> {
  let opening: Promise<MetricStore> | undefined;
  const open = async (): Promise<MetricStore> => {
    const { MetricStore: Store } = await import("../runtime/observe/metrics/store.ts");
    return new Store({ warn });
  };
  return () => (opening ??= open());
}

/** Exits with the task's result. SIGTERM aborts the task, which can still finish its work. */
async function endAfterTask(
  task: Promise<number>,
  stopping: AbortController,
  flush: () => Promise<void>,
): Promise<void> {
  process.once("SIGTERM", () => stopping.abort(new Error("the task is being stopped")));
  const exitCode = await task;
  await flush();
  process.exit(exitCode);
}

function resolveDirectories(bundle: Bundle, directory: string): Bundle {
  const packages = bundle.packages.map((pkg) =>
    pkg.site === undefined ? pkg : { ...pkg, site: { ...pkg.site, dir: resolve(directory, pkg.site.dir) } },
  );
  return { ...bundle, packages };
}

function startFailure(error: unknown, name: string): string {
  if (isA(error, DeclarationMismatch)) return `the service ${name} does not start: ${error.message}`;
  if (isA(error, ConfigurationError) || (isA(error, Error) && "code" in error && error.code === "EADDRINUSE"))
    return error.message;
  return `the service ${name} does not start: ${stackOf(error)}`;
}
