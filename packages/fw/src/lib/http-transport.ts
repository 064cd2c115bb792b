import type { Agent, AgentOptions, ClientRequest, RequestOptions } from "node:http";

/** Sends requests of one URL scheme. */
export interface Transport {
  readonly request: (options: RequestOptions) => ClientRequest;
  /** Keeps connections open for later requests. */
  readonly agent: Agent;
}

/** Open transports by scheme: `http:` or `https:`. */
export type Transports = Map<string, Promise<Transport>>;

/** `maxSockets` limits the connections to one host, both active and idle. */
type TransportOptions = Required<Pick<AgentOptions, "maxSockets" | "timeout">>;

/** Returns the transport for a scheme. Its module is loaded with the first request. */
export function transportOf(opened: Transports, protocol: string, options: TransportOptions): Promise<Transport> {
  const transport = opened.get(protocol) ?? open(protocol, options);
  opened.set(protocol, transport);
  return transport;
}

async function open(protocol: string, { maxSockets, timeout }: TransportOptions): Promise<Transport> {
  const { request, Agent } = protocol === "https:" ? await import("node:https") : await import("node:http");
  // Prefers the most recently used connection, so that low load needs only a few.
  const agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, scheduling: "lifo", timeout });
  // Marks its requests as fw's own, which are not recorded as outgoing requests of the application.
  return { request, agent: Object.assign(agent, { isOwn: true }) };
}
