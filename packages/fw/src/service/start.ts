import { setMaxListeners } from "node:events";
import { resolve } from "node:path";
import { loadProbe } from "../lib/load-probe.ts";
import { isA, stackOf } from "../lib/thrown.ts";
import { Background } from "../runtime/background/background.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { createService } from "../runtime/handler.ts";
import { checkDeclared, endLoading, WronglyWired } from "../runtime/known-declarations.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import { MetricStore } from "../runtime/observe/metrics/store.ts";
import { fixSecrets } from "../runtime/secrets.ts";
import { serve } from "../runtime/server.ts";
import { stopOnSignals } from "../runtime/signals.ts";
import { configurationOf, Misconfigured, requirePlatform } from "./configuration.ts";
import type { ServicePlatform } from "./platform.ts";
import { logConsoleTo, serviceLog, takeConsole } from "./log.ts";
import { guardProcess, stopWith } from "./process.ts";
import { openTelemetry } from "./telemetry.ts";

export interface ServiceOptions {
  /** The service's name. */
  readonly name: string;
  /** The directory of its files, absolute. */
  readonly directory: string;
  /** What it was built for. */
  readonly platform: ServicePlatform;
  /** Declarations of other services that its code names, as of `checkDeclared`. */
  readonly elsewhere?: readonly string[];
}

/**
 * What a service's process begins with, before any module of the application is loaded. Ends it, with a sentence for
 * each, where secrets are not set.
 */
export function prepareProcess(secrets: readonly string[]): void {
  if (loadProbe()) return;
  guardProcess();
  // Where somebody works on it, what code prints is read as it is.
  if (process.env["FW_PEERS"] === undefined || process.env["FW_SERVED"] !== undefined) takeConsole();
  try {
    fixSecrets(secrets);
  } catch (error) {
    refuse((error as Error).message);
  }
}

/**
 * Runs a service in this process until a signal stops it. One that cannot start says why on standard error, a sentence
 * a line, and ends with exit code 1.
 */
export async function startService(bundle: Bundle, options: ServiceOptions): Promise<void> {
  const probe = loadProbe();
  try {
    checkDeclared(bundle, options.elsewhere);
    endLoading(bundle);
    if (probe) return probe.loaded();
    await start(placed(bundle, options.directory), options);
  } catch (error) {
    if (probe) throw error;
    refuse(sentencesOf(error, options.name));
  }
}

function refuse(sentences: string): never {
  process.stderr.write(`${sentences}\n`);
  process.exit(1);
}

async function start(bundle: Bundle, { name, directory, platform: builtFor }: ServiceOptions): Promise<void> {
  requirePlatform(builtFor.name, process.env);
  const configuration = configurationOf(process.env);
  const { csrfKey, port } = configuration;
  const own = new TaggedLogger(serviceLog, {}, undefined, true);
  const store = new MetricStore({ warn: (sentence) => own.warn(sentence) });
  const placing = await builtFor.place({ name, directory, bundle, store });
  const { platform } = placing.options;
  const told = { app: bundle.app, service: name, store, log: placing.log ?? serviceLog };
  const telemetry = await openTelemetry(told, placing, configuration);
  logConsoleTo(telemetry.options.log);
  const stopping = new AbortController();
  // Everything that is under way listens to it.
  setMaxListeners(0, stopping.signal);
  const { app, handler } = createService(bundle, {
    stopping: stopping.signal,
    ...telemetry.options,
    ...placing.options,
    injected: { ...telemetry.injected, ...placing.options.injected },
    ...(csrfKey && { csrfKey }),
  });
  const flush = async (): Promise<void> => {
    const told = telemetry.end();
    // What is told goes over the platform's own connections, where it has a place for it.
    if (placing.exporter !== undefined) await told;
    await Promise.all([told, platform?.close()]);
  };
  if (placing.task !== undefined) return endAfterTask(placing.task(app), stopping, flush);
  const server = await serve(handler, placing.supervised ? { port, host: "127.0.0.1" } : { port });
  const background = new Background();
  if (platform !== undefined) background.use(app);
  const close = async (): Promise<void> => {
    stopping.abort(new Error("the service is stopping"));
    await Promise.all([server.close(), background.stop()]);
  };
  // Ctrl-C reaches every process of the terminal: beside others, the one that started them decides what it means.
  if (placing.supervised) process.on("SIGINT", () => {});
  const signals = placing.supervised ? (["SIGTERM"] as const) : undefined;
  stopWith(stopOnSignals({ ...server, close }, { flush, ...(signals && { signals }) }));
  own.info("listening", { service: name, port: server.port });
}

/** A process that was started for one task ends with it. A signal tells the task, which has a moment to end. */
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

/** The bundle with its directories where they are. */
function placed(bundle: Bundle, directory: string): Bundle {
  const packages = bundle.packages.map((pkg) =>
    pkg.site === undefined ? pkg : { ...pkg, site: { ...pkg.site, dir: resolve(directory, pkg.site.dir) } },
  );
  return { ...bundle, packages };
}

function sentencesOf(error: unknown, name: string): string {
  if (isA(error, WronglyWired)) return `the service ${name} does not start: ${error.message}`;
  if (isA(error, Misconfigured) || (isA(error, Error) && "code" in error && error.code === "EADDRINUSE"))
    return error.message;
  return `the service ${name} does not start: ${stackOf(error)}`;
}
