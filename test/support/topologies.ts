import { hasPostgres } from "../../packages/fw/src/platform/postgres/testing/server.ts";
import { startOnCloud as startFromImages } from "./cloud/on-cloud.ts";
import { launchDev, writeApplication, type Dev } from "./dev-app.ts";
import { startOnPostgres, startOnServiceMachines } from "./postgres/on-postgres.ts";

/** A running application in any topology. */
export interface Running extends AsyncDisposable {
  readonly port: number;
  /** Returns the output so far. */
  output(): string;
  /** Resolves once the output after `from` contains `text`. */
  says(text: string, from?: number): Promise<void>;
}

/** A topology: its name, and a function that starts the application in a directory. */
export type Topology = readonly [name: string, start: (directory: string) => Promise<Running>];

const oneProcess: Topology = ["in one process", (directory) => start(directory)];
const services: Topology = ["as services", startServices];
const cloud: Topology = ["on the cloud", startOnCloud];

/** `fw serve` with a database. */
const postgres: readonly Topology[] = hasPostgres()
  ? [["on PostgreSQL", (directory) => startOnPostgres(directory)]]
  : [];

/** Three machines behind a load balancer that sends each request to the next. */
const machines: readonly Topology[] = hasPostgres()
  ? [["on three machines", (directory) => startOnPostgres(directory, 3)]]
  : [];

/** A machine for each service, and one for the front. */
const serviceMachines: readonly Topology[] = hasPostgres() ? [["on machines of services", startOnServiceMachines]] : [];

/** `fw serve` with a database, and an engine other than Node for its services. */
const engines: readonly Topology[] =
  process.env["FW_ENGINES"] !== undefined && hasPostgres()
    ? ["bun", "deno"].map((engine) => [
        `on ${engine}`,
        (directory) => startOnPostgres(directory, 1, ["--engine", engine]),
      ])
    : [];

/** All topologies, for small suites. On the cloud, services run from their images. */
export const topologies: readonly Topology[] = [oneProcess, services, ["on the cloud", startFromImages], ...postgres];

/** True if long suites also run as services: `FW_AS_SERVICES=1 npx vitest run test/access.test.ts`. */
export const asServices: boolean = process.env["FW_AS_SERVICES"] !== undefined;

/** The options of `fw dev` for a scenario, by the topology's name. */
export const devOptions: readonly (readonly [name: string, ...options: string[]])[] = [
  ["in one process"],
  ...(asServices ? [["as services", "--services"] as const] : []),
];

/** True if slow suites also run on the cloud: `FW_CLOUD=1 npx vitest run test/access.test.ts`. */
export const onCloud: boolean = process.env["FW_CLOUD"] !== undefined;

/** True if slow suites also run on PostgreSQL: `FW_ON_POSTGRES=1 npx vitest run test/access.test.ts`. */
export const onPostgres: boolean = process.env["FW_ON_POSTGRES"] !== undefined && hasPostgres();

/** Topologies with a single machine for all connections, because rooms and connection limits are per machine. */
export const oneMachineTopologies: readonly Topology[] = [
  oneProcess,
  ...(asServices ? [services] : []),
  ...(onCloud ? [cloud] : []),
  ...(onPostgres ? postgres : []),
  ...engines,
];

/** Topologies for longer suites: one process, and others that environment variables add. */
export const mostTopologies: readonly Topology[] = [
  ...oneMachineTopologies,
  ...(onPostgres ? [...machines, ...serviceMachines] : []),
];

/** Whether the application was built, and so has no sign-in page, dev bar or messages of a dev server. */
export function isBuilt([name]: Topology): boolean {
  return name !== oneProcess[0] && name !== services[0];
}

/** Starts an application from its files. */
export function startFiles([, begin]: Topology, files: Readonly<Record<string, string>>): Promise<Running> {
  return begin(writeApplication(files));
}

/** Runs each service in its own process. */
export function startServices(directory: string): Promise<Dev> {
  return start(directory, ["--services"]);
}

/** Starts a rehearsal of a deployment; `faults` become `FW_CLOUD_FAULTS`. */
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
