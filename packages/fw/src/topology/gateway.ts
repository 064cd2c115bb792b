import { bearerToken } from "../runtime/access/bearer.ts";
import { forwardedHeader } from "../runtime/access/trusted-proxy.ts";
import { messages } from "../runtime/error-messages.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { CallForwarders } from "./call-forwarders.ts";
import { forwardedClient } from "./client-address.ts";
import type { RouteTarget } from "./front.ts";
import { networkIdentity, type Identities } from "./identities.ts";
import { frontName, type MachineNetwork } from "./machine-network.ts";
import { RelayForwarder, type RelayForwarderOptions } from "./relay-forwarder.ts";

interface GatewayOptions extends Pick<RelayForwarderOptions, "poolOf" | "unavailable"> {
  readonly network: MachineNetwork;
  readonly identities: Identities;
  /** Returns the handler of a request to the machine itself; undefined for other requests. */
  readonly ownEndpoint: (request: Request) => RouteTarget | undefined;
}

/**
 * Admits requests to the services of this machine: calls by services, and client requests that a front forwards. Both
 * need a token from a machine that has published its key. The gateway replaces it with a token of this machine, so
 * services need to trust only the process that started them.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #calls: CallForwarders;
  readonly #requests: RelayForwarder;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { poolOf, unavailable, identities } = options;
    this.#calls = new CallForwarders({
      poolOf,
      tokenFor: (_, service) => identities.network.tokenFor(service),
    });
    this.#requests = new RelayForwarder({
      poolOf,
      unavailable,
      visitorOf: forwardedClient,
      tokenFor: (service) => identities.platform.tokenFor(service),
    });
  }

  targetOf(request: Request): RouteTarget {
    return this.#options.ownEndpoint(request) ?? { admin: (admitted) => this.#admit(admitted) };
  }

  close(): void {
    this.#calls.close();
    this.#requests.close();
  }

  async #admit(request: Request): Promise<void> {
    const forwarded = request.exchange.header(forwardedHeader);
    const token = forwarded ?? bearerToken(request.exchange);
    const call = token === undefined ? undefined : await this.#options.network.open(token);
    if (call === "unreadable") return refuse(request, { status: 503, message: this.#options.unavailable("") });
    if (call === undefined || (call.caller === frontName) !== (forwarded !== undefined))
      return refuse(request, { status: 403, message: messages.notForVisitors });
    const { service } = call;
    return forwarded === undefined
      ? this.#calls.forward(request, networkIdentity, service)
      : this.#requests.forward(request, { service });
  }
}
