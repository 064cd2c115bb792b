import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect } from "vitest";
import { fwIn } from "../../../packages/fw/src/cli/testing/run.ts";
import { bytesOnDisk } from "../../../packages/fw/src/platform/postgres/objects/bytes.ts";
import { openPostgres } from "../../../packages/fw/src/platform/postgres/open.ts";
import { startServer } from "../../../packages/fw/src/platform/postgres/testing/server.ts";
import { authKinds } from "../../../packages/fw/src/runtime/auth/kinds.ts";
import { buildOrCopy } from "../build.ts";
import { freeFixedPort } from "../ports.ts";
import { descendants } from "../processes.ts";
import { launchServe, serving, type Served } from "../served.ts";
import type { Running } from "../topologies.ts";
import { startCaddy } from "./caddy.ts";
import { startFront } from "./front.ts";

/** A built application on machines that share a PostgreSQL server. */
export interface OnPostgres extends Running {
  /** The processes of services on all machines. */
  pids(): readonly number[];
}

/**
 * Builds an application, serves it on `machines` machines behind a load balancer, and finally deletes its directory.
 * `more` are additional arguments of `fw serve`.
 */
export function startOnPostgres(directory: string, machines = 1, more: readonly string[] = []): Promise<OnPostgres> {
  return startBehindBalancer(directory, async (start) => {
    const processes: Served[] = [];
    for (let machine = 0; machine < machines; machine++)
      processes.push(await start(`machine-${machine}`, ["--trust-proxy", "127.0.0.1", ...more]));
    return processes.map(({ url }) => Number(new URL(url).port));
  });
}

/** Like `startOnPostgres`, with a machine for each service and one for the front, each connecting with its own role. */
export function startOnServiceMachines(directory: string): Promise<OnPostgres> {
  return startBehindBalancer(directory, async (start, database) => {
    const env = { FW_DATABASE: database.replace("fw@", "{role}@") };
    const names = servicesIn(directory);
    const ports = new Map(await Promise.all(names.map(async (name) => [name, await freeFixedPort()] as const)));
    const addresses = [...ports].flatMap(([name, port]) => ["--service-address", `${name}=http://127.0.0.1:${port}`]);
    const [front] = await Promise.all([
      start("front", ["--front", "--trust-proxy", "127.0.0.1", ...addresses], { env }),
      ...names.map((name) => start(`of-${name}`, ["--service", name, ...addresses], { port: ports.get(name), env })),
      // The machines wait for the preparation, so the order does not matter.
      prepareDatabase(directory, database),
    ]);
    return [Number(new URL(front.url).port)];
  });
}

/** Prepares the database for servers with the application's build. */
async function prepareDatabase(directory: string, database: string): Promise<void> {
  const env = { ...(process.env as Record<string, string>), FW_DATABASE: database };
  const { code, out, err } = await fwIn(env, [], directory, "serve", "--migrate");
  if (code !== 0) throw new Error(`fw serve --migrate failed:\n${out}${err}`);
}

interface MachineOptions {
  /** By default, a free port. */
  readonly port?: number | undefined;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `fw serve` on a machine with these options. The process is stopped at the end. */
type StartMachine = (name: string, options: readonly string[], machine?: MachineOptions) => Promise<Served>;

/**
 * Serves an application on machines behind a load balancer. `launch` starts the machines and returns the ports to
 * balance.
 */
async function startBehindBalancer(
  directory: string,
  launch: (start: StartMachine, database: string) => Promise<readonly number[]>,
): Promise<OnPostgres> {
  const data = mkdtempSync(join(tmpdir(), "fw-on-postgres-"));
  const objects = join(data, "objects");
  const starting = startServer();
  const processes: Served[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((machine) => machine[Symbol.asyncDispose]()));
    (await starting).stop();
    for (const each of [data, directory]) rmSync(each, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const [server] = await Promise.all([starting, buildOrCopy(directory)]);
    const database = server.address("app");
    const env = { ...secretsOf(directory), FW_DATABASE: database };
    const start: StartMachine = async (name, options, { port = 0, env: own = {} } = {}) => {
      const args = ["--data", join(data, name), "--objects", objects, "--drain", "0", ...options];
      const machine = launchServe(args, { cwd: directory, env: { ...env, ...own }, port });
      processes.push(machine);
      return serving(machine);
    };
    const ports = await launch(start, database);
    const people = await openPostgres(database, { kinds: authKinds }, { bytes: bytesOnDisk(objects) });
    const caddy = ports.length > 1 && process.env["FW_CADDY"] !== undefined ? await startCaddy(ports) : undefined;
    const front = await startFront(caddy === undefined ? ports : [caddy.port], people);
    // Keeps output in the order of arrival, because tests search for text after a position.
    let text = processes.map((machine) => machine.output()).join("");
    for (const { child } of processes)
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: string) => (text += chunk));
    const output = (): string => text;
    return {
      port: front.port,
      output,
      says: (text, from = 0) => expect.poll(() => output().slice(from)).toContain(text),
      pids: () => processes.flatMap(({ child: { pid = 0 } }) => descendants(pid)),
      async [Symbol.asyncDispose]() {
        await front.close();
        await caddy?.close();
        await people.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the names of the services of a built application. */
function servicesIn(directory: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(directory, ".fw/build/app.json"), "utf8")) as {
    readonly services: readonly { readonly name: string }[];
  };
  return manifest.services.map(({ name }) => name);
}

/** Returns the values in `.env` for the environment of `fw serve`, which does not read the file. */
function secretsOf(directory: string): Readonly<Record<string, string>> {
  const file = join(directory, ".env");
  return existsSync(file) ? (parseEnv(readFileSync(file, "utf8")) as Record<string, string>) : {};
}
