import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CallVerifier } from "../../call-verifier.ts";
import type { Clock, Definitions, Platform } from "../../contract.ts";
import { newTestCallKeys } from "../../testing/call-keys.ts";
import type { PlatformGrant } from "../../grants.ts";
import { openLocal } from "../../local/open.ts";
import type { LocalPlatform } from "../../local/open.ts";
import { nodeObjectsOf } from "../../../runtime/exchange/node/node-exchange.ts";
import { guardedHandler } from "../../../runtime/guarded-handler.ts";
import { serve as listenWith } from "../../../runtime/server.ts";
import { openLoopback } from "../client.ts";
import { loopbackChanges } from "../client/changes.ts";
import { platformIdentity } from "../protocol.ts";
import { serveLoopback } from "../server.ts";
import type { Loopback } from "../server.ts";

export interface ServedOptions {
  readonly clock?: Clock;
  readonly grants?: (service: string) => readonly PlatformGrant[];
}

interface TokenOptions {
  /** The service whose key signs the token; defaults to the token's own service. An unknown service gets a new key. */
  readonly as?: string;
  readonly audience?: string;
  /** The token's lifetime in milliseconds. */
  readonly ms?: number;
}

/** A local platform served over the loopback. */
export interface Served {
  readonly local: LocalPlatform;
  readonly directory: string;
  readonly url: string;
  /** Creates a token that claims to be the service's. */
  readonly token: (service: string, more?: TokenOptions) => string;
  /** A client of the platform for the service `web`. */
  readonly client: Platform;
  /** The messages and errors that the server has logged. */
  readonly logged: unknown[];
  clientOf(service: string): Platform;
  /** Stops the server and starts another at the same address. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/** A token's lifetime in milliseconds. */
const tokenMs = 600_000;

/** The known services of the platform. */
const serviceNames = ["web", "mail"];

export async function openServed(definitions: Definitions, options: ServedOptions = {}): Promise<Served> {
  const { clock, grants } = options;
  const directory = await mkdtemp(join(tmpdir(), "fw-loopback-"));
  const local = await openLocal(directory, definitions, { temporary: true, ...(clock && { clock }) });
  const keys = new Map(serviceNames.map((service) => [service, newTestCallKeys()]));
  const publicKeys = [...keys].map(([service, { publicKey }]) => [service, publicKey]);
  const callers = new CallVerifier(platformIdentity, Object.fromEntries(publicKeys));
  const token: Served["token"] = (invoker, more = {}) => {
    const { as = invoker, audience = platformIdentity, ms = tokenMs } = more;
    return (keys.get(as) ?? newTestCallKeys()).mint({ audience, invoker }, Date.now() + ms);
  };
  const logged: unknown[] = [];
  const log = (...line: readonly unknown[]): void => void logged.push(...line);
  const serve = (port: number): Promise<Loopback> =>
    serveLoopback(local, {
      callers,
      log,
      listen: (answer) => {
        const handler = guardedHandler({ log: () => {} }, ({ exchange }) => {
          const { req, res } = nodeObjectsOf(exchange);
          return answer(req, res);
        });
        return listenWith(handler, { port, host: "127.0.0.1" });
      },
      ...(grants && { grants }),
    });
  let loopback = await serve(0);
  const { url } = loopback;
  const clients: Platform[] = [];
  const clientOf = (service: string): Platform => {
    const client = openLoopback({ url, token: () => token(service) }, loopbackChanges);
    clients.push(client);
    return client;
  };
  return {
    local,
    directory,
    url,
    client: clientOf("web"),
    token,
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
