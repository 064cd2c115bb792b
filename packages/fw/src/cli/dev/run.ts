import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { startDev } from "../../dev/dev.ts";
import { locateData, type LocateData } from "../../workspace/branch-data.ts";
import { NoDeclarations } from "../../workspace/follower.ts";
import { sourceRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { DevSettings } from "../commands/dev.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { listenRefusal } from "../listen-refusal.ts";
import { sayWhileStopping, stopRequests } from "../stop.ts";
import { terminal } from "./terminal.ts";

const inspectsOne =
  "a debugger attaches to a single process, but --services and --cloud start one for each service: remove them to debug";

/** Runs the dev server until a stop is requested. */
export async function runDev(
  { port, host, allowedHosts, services, cloud, inspect, data, seed }: DevSettings,
  io: IO,
): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  const locate: LocateData = () => (data === undefined ? locateData(root) : { directory: resolve(io.cwd, data) });
  const hosts = { listensOn: host, allowedHosts };
  const stopping = stopRequests((stop) => io.onStop(stop));
  const ending = new AbortController();
  try {
    if (cloud && services)
      throw new Refusal("--cloud already runs every service in its own process: remove --services");
    if (services || cloud) {
      if (inspect !== undefined) throw new Refusal(inspectsOne);
      if (cloud) {
        if (seed) throw new Refusal("--cloud rehearses a deployment, which has no seeds: remove --seed");
        if (data !== undefined) throw new Refusal("--cloud keeps its data in memory: remove --data");
        const { runRehearsal } = await import("../rehearsal/run.ts");
        return await runRehearsal({ root: realpathSync(root), port, hosts, stopping }, io);
      }
      const { runServices } = await import("../services/run.ts");
      return await runServices(
        { root: realpathSync(root), port, hosts, locateData: locate, seeds: seed ? "always" : "new" },
        stopping,
        io,
      );
    }
    const starting = startDev({
      root,
      port,
      hosts,
      locateData: locate,
      seeds: seed ? "always" : "new",
      inspect,
      env: io.env,
      console: terminal(root, host, io),
      signal: ending.signal,
    });
    const server = await Promise.race([starting, stopping.first]);
    // A start that was interrupted rejects; ignore that.
    starting.catch(() => {});
    await stopping.first;
    if (server !== undefined) await sayWhileStopping(Promise.race([server.stop(), stopping.second]), io);
    return 0;
  } catch (error) {
    throw error instanceof NoDeclarations ? nothingDeclared(root) : listenRefusal(error, { port, host });
  } finally {
    ending.abort();
    stopping.done();
  }
}
