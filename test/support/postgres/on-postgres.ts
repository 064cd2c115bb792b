import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect } from "vitest";
import { bytesOnDisk } from "../../../packages/fw/src/platform/postgres/objects/bytes.ts";
import { openPostgres } from "../../../packages/fw/src/platform/postgres/open.ts";
import { startServer } from "../../../packages/fw/src/platform/postgres/testing/server.ts";
import { authKinds } from "../../../packages/fw/src/runtime/auth/kinds.ts";
import { build } from "../build.ts";
import { descendants } from "../processes.ts";
import { startServe, type Served } from "../served.ts";
import type { Running } from "../topologies.ts";
import { startCaddy } from "./caddy.ts";
import { startFront } from "./front.ts";

/** A built application on machines that share a PostgreSQL server. */
export interface OnPostgres extends Running {
  /** The processes of services, on every machine. */
  pids(): readonly number[];
}

/**
 * Builds an application, serves it on some machines behind a load balancer, and deletes its directory in the end. The
 * arguments in `more` are for `fw serve`.
 */
export async function startOnPostgres(
  directory: string,
  machines = 1,
  more: readonly string[] = [],
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
    const [server] = await Promise.all([starting, build(directory)]);
    const database = server.address("app");
    for (let machine = 0; machine < machines; machine++) {
      const own = join(data, `machine-${machine}`);
      const options = ["--data", own, "--objects", objects, "--drain", "0", "--trust-proxy", "127.0.0.1"];
      processes.push(
        await startServe([...options, ...more], {
          cwd: directory,
          env: { ...secretsOf(directory), FW_DATABASE: database },
        }),
      );
    }
    const people = await openPostgres(database, { kinds: authKinds }, { bytes: bytesOnDisk(objects) });
    const ports = processes.map(({ url }) => Number(new URL(url).port));
    const caddy = machines > 1 && process.env["FW_CADDY"] !== undefined ? await startCaddy(ports) : undefined;
    const front = await startFront(caddy === undefined ? ports : [caddy.port], people);
    // In the order in which it comes: a test looks for what follows a position.
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

/** The values in the application's `.env`, which `fw serve` takes from its environment only. */
function secretsOf(directory: string): Readonly<Record<string, string>> {
  const file = join(directory, ".env");
  return existsSync(file) ? (parseEnv(readFileSync(file, "utf8")) as Record<string, string>) : {};
}
