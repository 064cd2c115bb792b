import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintCall } from "../../calls.ts";
import type { Clock, Definitions, Platform } from "../../contract.ts";
import type { Grant } from "../../grants.ts";
import { openLocal } from "../../local/open.ts";
import type { LocalPlatform } from "../../local/open.ts";
import { openLoopback } from "../client.ts";
import { platformAudience } from "../protocol.ts";
import { serveLoopback } from "../server.ts";
import type { Loopback } from "../server.ts";

export interface ServedOptions {
  readonly clock?: Clock;
  readonly grants?: (service: string) => readonly Grant[];
}

/** A local platform, served to others. */
export interface Served {
  readonly local: LocalPlatform;
  readonly directory: string;
  readonly key: Uint8Array;
  readonly url: string;
  /** Of the service `web`. */
  readonly client: Platform;
  /** What the server logged: sentences, and errors. */
  readonly logged: unknown[];
  clientOf(service: string): Platform;
  /** Ends the server and begins another at the same address. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/** Milliseconds that a token lasts. */
const tokenMs = 600_000;

export function tokenOf(key: Uint8Array, service: string, audience: string = platformAudience): string {
  return mintCall(key, { audience, invoker: service }, Date.now() + tokenMs);
}

export async function openServed(definitions: Definitions, options: ServedOptions = {}): Promise<Served> {
  const { clock, grants } = options;
  const directory = await mkdtemp(join(tmpdir(), "fw-loopback-"));
  const local = await openLocal(directory, definitions, { temporary: true, ...(clock && { clock }) });
  const key = randomBytes(32);
  const logged: unknown[] = [];
  const log = (...line: readonly unknown[]): void => void logged.push(...line);
  const serve = (port: number): Promise<Loopback> =>
    serveLoopback(local, { key, log, port, ...(grants && { grants }) });
  let loopback = await serve(0);
  const { url } = loopback;
  const clients: Platform[] = [];
  const clientOf = (service: string): Platform => {
    const client = openLoopback({ url, token: () => tokenOf(key, service) });
    clients.push(client);
    return client;
  };
  return {
    local,
    directory,
    key,
    url,
    client: clientOf("web"),
    logged,
    clientOf,
    restart: async () => {
      await loopback.close();
      loopback = await serve(Number(new URL(url).port));
    },
    dispose: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await loopback.close();
      await local.close();
      await rm(directory, { recursive: true });
    },
  };
}
