import { jsonLine, lineSink } from "../../runtime/observe/log-line.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";
import { guardProcess, setStop } from "../../service/process.ts";
import { reportWarnings } from "../../service/warnings.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { listenRefusal } from "../listen-refusal.ts";
import { stopRequests } from "../stop.ts";
import { readRelease } from "./release.ts";
import { Server, type ServeSettings } from "./server.ts";
import { Upgrades } from "./upgrades.ts";

/** Runs a built application until a signal stops it. */
export async function runServe(settings: ServeSettings, io: IO): Promise<ExitCode> {
  const release = readRelease(settings.build);
  const log = new TaggedLogger(
    lineSink(jsonLine, (line) => io.out.write(line)),
    { service: "fw" },
    undefined,
    true,
  );
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

async function endWith(stop: Promise<unknown>, log: TaggedLogger, ending: AbortController): Promise<void> {
  await stop;
  log.info("stopping");
  ending.abort(new Error("the server is stopping"));
}
