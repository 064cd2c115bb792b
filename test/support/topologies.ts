import { startOnCloud as startFromImages } from "./cloud/on-cloud.ts";
import { launchDev, writeApplication, type Dev } from "./dev-app.ts";

/** An application that runs, however it does. */
export interface Running extends AsyncDisposable {
  readonly port: number;
  /** Everything it wrote so far. */
  output(): string;
  /** Resolves once the output after `from` has `text` in it. */
  says(text: string, from?: number): Promise<void>;
}

/** A way to run an application: its name, and what starts the one in a directory. */
export type Topology = readonly [name: string, start: (directory: string) => Promise<Running>];

const local: readonly Topology[] = [
  ["in one process", (directory) => start(directory)],
  ["as services", startServices],
];
const cloud: Topology = ["on the cloud", startOnCloud];

/** All of them, for a suite that is small; on the cloud from the images of its services. */
export const topologies: readonly Topology[] = [...local, ["on the cloud", startFromImages]];

/** Whether suites that take long run on the cloud, too: `FW_CLOUD=1 npx vitest run test/access.test.ts`. */
export const onCloud: boolean = process.env["FW_CLOUD"] !== undefined;

/** Those of this machine; the cloud, too, where that is wanted. */
export const mostTopologies: readonly Topology[] = onCloud ? [...local, cloud] : local;

/** Starts an application from its files. */
export function startFiles([, begin]: Topology, files: Readonly<Record<string, string>>): Promise<Running> {
  return begin(writeApplication(files));
}

/** Every service in a process of its own. */
export function startServices(directory: string): Promise<Dev> {
  return start(directory, ["--services"]);
}

/** A rehearsal of a deployment; `faults` are those of `FW_CLOUD_FAULTS`. */
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
