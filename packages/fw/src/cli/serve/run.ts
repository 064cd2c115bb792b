import { jsonLine, lineSink } from "../../runtime/observe/log-line.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";
import { guardProcess, setStop } from "../../service/process.ts";
import { reportWarnings } from "../../service/warnings.ts";
import { type ExitCode, Refusal } from "../command.ts";
import type { IO } from "../io.ts";
import { listenRefusal } from "../listen-refusal.ts";
import { stopRequests } from "../stop.ts";
import { readRelease } from "./release.ts";
import { Server, type ServeSettings } from "./server.ts";
import type { Logger } from "../../declare/context.ts";
import { Overtaken } from "../../lib/newest-only.ts";
import { listOf } from "../../lib/suggest.ts";
import { messageOf } from "../../lib/thrown.ts";

/** Runs a built application until a signal stops it. */
export async function runServe(settings: ServeSettings, io: IO): Promise<ExitCode> {
  const release = readRelease(settings.build);
  const log = serverLog(io);
  guardProcess();
  reportWarnings((sentence) => log.warn(sentence));
  const stopping = stopRequests((stop) => io.onSignals(["SIGTERM", "SIGINT"], stop));
  const ending = new AbortController();
  void endWith(stopping.first, log, ending);
  const upgrades = new Upgrades(settings, log);
  const done = io.onSignals(["SIGHUP"], () => upgrades.request());
  try {
    const server = await Server.open(release, settings, { io, log }, ending.signal);
    setStop((exitCode) => void server.stop().finally(() => process.exit(exitCode)));
    void stopping.second.then(() => server.kill());
    await server.start(release, ending.signal);
    log.info("serving", { app: release.model.app.name, port: server.port, build: release.directory });
    upgrades.begin(server);
    await stopping.first;
    await Promise.race([server.stop(), stopping.second]);
    return 0;
  } catch (error) {
    if (ending.signal.aborted) return 0;
    throw listenRefusal(error, settings);
  } finally {
    done();
    stopping.done();
  }
}

/** Creates the log of the server itself, whose lines are JSON. */
export function serverLog(io: IO): TaggedLogger {
  return new TaggedLogger(
    lineSink(jsonLine, (line) => io.out.write(line)),
    { service: "fw" },
    undefined,
    true,
  );
}

async function endWith(stop: Promise<unknown>, log: TaggedLogger, ending: AbortController): Promise<void> {
  await stop;
  log.info("stopping");
  ending.abort(new Error("the server is stopping"));
}

/** The part of a server that switches builds. */
type Upgradable = Pick<Server, "deploy">;

/** Upgrades a server on request. A request that arrives before the server is ready waits. */
class Upgrades {
  readonly #build: string;
  readonly #log: Logger;
  #server: Upgradable | undefined;
  #isRequested = false;

  constructor({ build }: Pick<ServeSettings, "build">, log: Logger) {
    this.#build = build;
    this.#log = log;
  }

  begin(server: Upgradable): void {
    this.#server = server;
    if (this.#isRequested) this.request();
  }

  request(): void {
    if (this.#server === undefined) this.#isRequested = true;
    else void this.#upgrade(this.#server);
  }

  /** Upgrades the server. If the build is invalid, the previous version keeps running. */
  async #upgrade(server: Upgradable): Promise<void> {
    try {
      const release = readRelease(this.#build);
      const { changedServices, failed } = await server.deploy(release);
      if (failed.length > 0) throw new Refusal(`${listOf(failed, "and")} did not start`);
      this.#log.info("upgraded", { build: release.directory, services: changedServices });
    } catch (error) {
      if (error instanceof Overtaken) return this.#log.info(`an unfinished upgrade was cancelled: ${error.message}`);
      this.#log.error(
        `the upgrade to the build in ${this.#build} failed, and the previous version keeps running: ${messageOf(error)}`,
      );
    }
  }
}
