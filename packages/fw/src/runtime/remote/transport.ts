import type { Agent, ClientRequest, RequestOptions } from "node:http";
import { remoteConnections, remoteIdleMs } from "../../lib/limits.ts";
import type { ServiceDirectory } from "./directory.ts";

/** How requests go to origins of one scheme. */
interface Transport {
  readonly request: (options: RequestOptions) => ClientRequest;
  /** Keeps connections for the next call. */
  readonly agent: Agent;
}

/** Where a service is, and how requests go there. */
export interface RemotePlace {
  readonly transport: Transport;
  readonly origin: URL;
  /** The Host header, where it is not the origin's. */
  readonly host: string | undefined;
}

/** Where a service is at the moment: it may move between two attempts of a call. */
export async function locate(services: ServiceDirectory, service: string): Promise<RemotePlace> {
  const origin = new URL(await services.addressOf(service));
  return { origin, transport: await transportOf(origin.protocol), host: services.hostOf?.(service) };
}

const transports = new Map<string, Promise<Transport>>();

/** The transport of `http:` or `https:`, one for all calls of the process. */
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
    // The latest used one first, so that few connections do while there is little to do.
    scheduling: "lifo",
    timeout: remoteIdleMs,
  });
  return { request, agent };
}
