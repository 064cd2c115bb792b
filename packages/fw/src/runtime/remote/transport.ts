import { transportOf, type Transport, type Transports } from "../../lib/http-transport.ts";
import { remoteConnections, remoteIdleMs } from "../../lib/limits.ts";
import type { ServiceDirectory } from "./directory.ts";

export interface RemoteAddress {
  readonly transport: Transport;
  readonly origin: URL;
  /** The Host header, if it differs from the origin. */
  readonly host: string | undefined;
}

/** The connections shared by all calls of the process. */
const transports: Transports = new Map();

const limits = { maxSockets: remoteConnections, timeout: remoteIdleMs };

/** Returns the current address of a service, which may change between attempts of a call. */
export async function locate(services: ServiceDirectory, service: string): Promise<RemoteAddress> {
  const origin = new URL(await services.addressOf(service));
  const transport = await transportOf(transports, origin.protocol, limits);
  return { origin, transport, host: services.hostOf?.(service) };
}
