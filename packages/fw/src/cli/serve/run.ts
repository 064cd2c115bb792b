import { messageOf } from "../../lib/thrown.ts";
import { listOf } from "../../lib/suggest.ts";
import { SerialQueue } from "../../lib/serial-queue.ts";
import { hasSignIn, allOfKind } from "../../model/declarations.ts";
import { jsonLine, lineSink } from "../../runtime/observe/log-line.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";
import type { Logger } from "../../declare/context.ts";
import { guardProcess, stopWith } from "../../service/process.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { listenRefusal } from "../listen-refusal.ts";
import { stopRequests } from "../stop.ts";
import { readRelease, type BuiltRelease } from "./release.ts";
import { Server, type ServeSettings, type Surroundings } from "./server.ts";

/** Runs a built application until it is told to stop. */
export async function runServe(settings: ServeSettings, io: IO): Promise<ExitCode> {
  const release = readRelease(settings.build);
  const log = new TaggedLogger(
    lineSink(jsonLine, (line) => io.out.write(line)),
    { service: "fw" },
  );
  guardProcess();
  const stopping = stopRequests((stop) => io.onSignals(["SIGTERM", "SIGINT"], stop));
  // Until the server can take another build, a request for it is no reason to end.
  const upgrades = new SerialQueue();
  let upgrade: (() => Promise<void>) | undefined;
  const listening = io.onSignals(["SIGHUP"], () => void upgrades.run(async () => upgrade?.()));
  try {
    const server = await started(release, settings, { io, log });
    stopWith((exitCode) => void server.stop().finally(() => process.exit(exitCode)));
    upgrade = () => takeOver(server, settings, log);
    warnOf(release, log);
    log.info("serving", { app: release.model.app.name, port: server.port, build: release.directory });
    await stopping.first;
    log.info("stopping");
    await Promise.race([server.stop(), stopping.second.then(() => server.kill())]);
    return 0;
  } finally {
    listening();
    stopping.done();
  }
}

async function started(release: BuiltRelease, settings: ServeSettings, around: Surroundings): Promise<Server> {
  try {
    return await Server.open(release, settings, around);
  } catch (error) {
    throw listenRefusal(error, settings);
  }
}

/** What is wrong with a build changes nothing of what runs. */
async function takeOver(server: Server, { build }: ServeSettings, log: Logger): Promise<void> {
  try {
    const release = readRelease(build);
    const { replaced, failed } = await server.deploy(release);
    if (failed.length > 0) throw new Refusal(`${listOf(failed, "and")} did not start`);
    log.info("upgraded", { build: release.directory, services: replaced });
  } catch (error) {
    const why = error instanceof Refusal ? error.message : messageOf(error);
    log.error(`the build in ${build} is not taken over, and what ran before goes on: ${why}`);
  }
}

function warnOf({ model }: BuiltRelease, log: Logger): void {
  if (!hasSignIn(model.app) || allOfKind(model.app.packages, "auth").some(({ password }) => password)) return;
  log.warn("nobody can sign in: Auth declares no Password, and fw serve signs in with nothing else");
}
