import { CallVerifier } from "../platform/call-verifier.ts";
import { bearerToken } from "../runtime/access/bearer.ts";
import { guardedHandler } from "../runtime/guarded-handler.ts";
import { messages } from "../runtime/error-messages.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import { refuse } from "../runtime/response/error.ts";
import { serve, type RunningServer } from "../runtime/server.ts";
import { CallForwarders } from "./call-forwarders.ts";
import type { Identities } from "./identities.ts";
import type { MachineNetwork } from "./machine-network.ts";

interface EgressOptions {
  readonly identities: Pick<Identities, "publicKeysOf">;
  readonly network: MachineNetwork;
  readonly log: LogSink;
}

/**
 * Gives services of this machine access to services of other machines, through a port on 127.0.0.1 for each. Callers
 * use their own tokens and need no key that other machines trust.
 */
export class Egress {
  readonly #options: EgressOptions;
  readonly #forwarders: CallForwarders;
  readonly #servers = new Map<string, RunningServer>();

  constructor(options: EgressOptions) {
    this.#options = options;
    const { network } = options;
    this.#forwarders = new CallForwarders({
      poolOf: (service) => network.poolOf(service),
      tokenFor: (caller, service) => network.tokenFor(caller, service),
    });
  }

  /** Opens ports for services that do not have one yet. */
  async open(services: Iterable<string>): Promise<void> {
    for (const service of services)
      if (!this.#servers.has(service)) this.#servers.set(service, await this.#serve(service));
  }

  /** Returns the origin at which services of this machine reach a service; undefined if it has no port. */
  originOf(service: string): string | undefined {
    const server = this.#servers.get(service);
    return server && `http://127.0.0.1:${server.port}`;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    this.#forwarders.close();
  }

  #serve(service: string): Promise<RunningServer> {
    const { identities, network, log } = this.#options;
    const callers = new CallVerifier(service, identities.publicKeysOf(network.services));
    const handler = guardedHandler({ log }, (request) => {
      const opened = callers.open(bearerToken(request.exchange) ?? "", Date.now());
      if ("refused" in opened || !network.mayCall(opened.invoker, service))
        return refuse(request, { status: 403, message: messages.notForVisitors });
      return this.#forwarders.forward(request, opened.invoker, service);
    });
    // Callers are processes of this machine, and the other machine limits the duration of requests.
    const times = { keepAliveMs: 0, bodyMs: Infinity, stalledMs: Infinity };
    return serve(handler, { port: 0, host: "127.0.0.1", times });
  }
}
