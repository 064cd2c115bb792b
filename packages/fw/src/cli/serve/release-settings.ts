import { refuseOnError } from "../command.ts";
import { readEngine } from "./engine.ts";
import { readIsolation } from "./isolation.ts";
import { readProcesses } from "./processes.ts";
import type { ReleaseSettings } from "./release.ts";

/** The options of `fw serve` that determine how services run. */
interface ReleaseOptions {
  readonly engine: string | undefined;
  readonly allow: readonly string[];
  readonly processes: string | undefined;
}

/** Reads how services run. Throws a Refusal that names the first invalid option. */
export function readReleaseSettings({ engine, allow, processes }: ReleaseOptions): ReleaseSettings {
  return {
    engine: refuseOnError(() => readEngine(engine ?? "node"), `"--engine": `),
    isolation: refuseOnError(() => readIsolation(allow), `"--allow": `),
    processes: refuseOnError(() => readProcesses(processes ?? "1"), `"--processes": `),
  };
}
