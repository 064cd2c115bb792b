import { startOnCloud as startFromImages } from "./cloud/on-cloud.ts";
import { launchDev, writeApplication, type Dev } from "./dev-app.ts";

/** A running application in any topology. */
export interface Running extends AsyncDisposable {
  readonly port: number;
  /** Its output so far. */
  output(): string;
  /** Resolves once the output after `from` contains `text`. */
  says(text: string, from?: number): Promise<void>;
}

/** A topology: its name and a function that starts the application of a directory. */
export type Topology = readonly [name: string, start: (directory: string) => Promise<Running>];

const local: readonly Topology[] = [
  ["in one process", (directory) => start(directory)],
  ["as services", startServices],
];
const cloud: Topology = ["on the cloud", startOnCloud];

/** All topologies, for small suites; on the cloud, services run from their images. */
export const topologies: readonly Topology[] = [...local, ["on the cloud", startFromImages]];

/** True if slow suites run on the cloud, too: `FW_CLOUD=1 npx vitest run test/access.test.ts`. */
export const onCloud: boolean = process.env["FW_CLOUD"] !== undefined;

/** The topologies of this machine, and the cloud if requested. */
export const mostTopologies: readonly Topology[] = onCloud ? [...local, cloud] : local;

/** Starts an application from its files. */
export function startFiles([, begin]: Topology, files: Readonly<Record<string, string>>): Promise<Running> {
  return begin(writeApplication(files));
}

/** Each service in a process of its own. */
export function startServices(directory: string): Promise<Dev> {
  return start(directory, ["--services"]);
}

/** A rehearsal of a deployment; `faults` become `FW_CLOUD_FAULTS`. */
export function startOnCloud(directory: string, faults?: object): Promise<Dev> {
  return start(directory, ["--cloud"], faults && { FW_CLOUD_FAULTS: JSON.stringify(faults) });
}

async function start(
  directory: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Dev> {
  const dev = launchDev(directory, args, env);
  await dev.says("http://localhost:");
  return dev;
}
