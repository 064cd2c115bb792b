import type { Agent, ClientRequest, RequestOptions } from "node:http";
import { remoteConnections, remoteIdleMs } from "../../lib/limits.ts";
import type { ServiceDirectory } from "./directory.ts";

/** Sends requests to origins of one scheme. */
interface Transport {
  readonly request: (options: RequestOptions) => ClientRequest;
  /** Keeps connections open for further calls. */
  readonly agent: Agent;
}

export interface RemoteAddress {
  readonly transport: Transport;
  readonly origin: URL;
  /** The Host header, if it differs from the origin. */
  readonly host: string | undefined;
}

/** Returns the current address of a service, which may change between two attempts of a call. */
export async function locate(services: ServiceDirectory, service: string): Promise<RemoteAddress> {
  const origin = new URL(await services.addressOf(service));
  return { origin, transport: await transportOf(origin.protocol), host: services.hostOf?.(service) };
}

const transports = new Map<string, Promise<Transport>>();

/** Returns the transport for `http:` or `https:`; all calls of the process share it. */
function transportOf(protocol: string): Promise<Transport> {
  const known = transports.get(protocol);
  if (known !== undefined) return known;
  const opened = open(protocol);
  transports.set(protocol, opened);
  return opened;
}

async function open(protocol: string): Promise<Transport> {
  const { request, Agent } = protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = new Agent({
    keepAlive: true,
    maxSockets: remoteConnections,
    maxFreeSockets: remoteConnections,
    // Prefers the most recently used connection, so that low load needs few of them.
    scheduling: "lifo",
    timeout: remoteIdleMs,
  });
  return { request, agent };
}
