import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { startDev } from "../../dev/dev.ts";
import { locateData, type LocateData } from "../../workspace/branch-data.ts";
import { NoDeclarations } from "../../workspace/follower.ts";
import { sourceRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { DevSettings } from "../commands/dev.ts";
import type { runServices } from "../services/run.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { listenRefusal } from "../listen-refusal.ts";
import { sayWhileStopping, stopRequests } from "../stop.ts";
import { setOptimization } from "../tune-process.ts";
import { terminal } from "./terminal.ts";

const inspectsOne =
  "a debugger attaches to a single process, but --services and --cloud start one for each service: remove them to debug";

/** Runs the dev server until the user stops it. */
export async function runDev(settings: DevSettings, io: IO): Promise<ExitCode> {
  const { port, host, allowedHosts, services, cloud, inspect, data, seed } = settings;
  const root = sourceRoot(io.cwd);
  const locate: LocateData = () => (data === undefined ? locateData(root) : { directory: resolve(io.cwd, data) });
  const hosts = { listensOn: host, allowedHosts };
  const place = { port, hosts, locateData: locate, seeds: seed ? "always" : "new" } as const;
  const stopping = stopRequests((stop) => io.onStop(stop));
  const ending = new AbortController();
  try {
    if (services || cloud) return await runSeparately(settings, { ...place, root: realpathSync(root) }, stopping, io);
    await runUntilStopped(
      startDev({ ...place, root, inspect, env: io.env, console: terminal(root, host, io), signal: ending.signal }),
      stopping,
      io,
    );
    return 0;
  } catch (error) {
    throw error instanceof NoDeclarations ? nothingDeclared(root) : listenRefusal(error, { port, host });
  } finally {
    ending.abort();
    stopping.done();
  }
}

async function runUntilStopped(
  starting: ReturnType<typeof startDev>,
  stopping: ReturnType<typeof stopRequests>,
  io: IO,
): Promise<void> {
  const server = await Promise.race([starting, stopping.first]);
  // An interrupted start rejects: ignore that.
  starting.catch(() => {});
  // The startup runs most code only once. After it, every save runs the same code again, so optimizing that code pays
  // off.
  if (server !== undefined) setOptimization("usual");
  await stopping.first;
  if (server !== undefined) await sayWhileStopping(Promise.race([server.stop(), stopping.second]), io);
}

/** Runs each service in its own process, on the local platform or on the fake cloud. */
async function runSeparately(
  settings: DevSettings,
  place: Parameters<typeof runServices>[0],
  stopping: ReturnType<typeof stopRequests>,
  io: IO,
): Promise<ExitCode> {
  refuseContradictions(settings);
  if (!settings.cloud) return (await import("../services/run.ts")).runServices(place, stopping, io);
  const { root, port, hosts } = place;
  return (await import("../rehearsal/run.ts")).runRehearsal({ root, port, hosts, stopping }, io);
}

/** Refuses combinations of options that several processes, or a rehearsal, do not support. */
function refuseContradictions({ services, cloud, inspect, data, seed }: DevSettings): void {
  if (cloud && services) throw new Refusal("--cloud already runs every service in its own process: remove --services");
  if (inspect !== undefined) throw new Refusal(inspectsOne);
  if (cloud && seed) throw new Refusal("--cloud rehearses a deployment, which has no seeds: remove --seed");
  if (cloud && data !== undefined) throw new Refusal("--cloud keeps its data in memory: remove --data");
}
