import { endToEnd } from "../runtime/exchange/end-to-end.ts";
import type { Exchange } from "../runtime/exchange/exchange.ts";
import type { Request } from "../runtime/request.ts";
import type { ClientOf } from "./client-address.ts";
import { attemptUntilOver, clientHeaders, frontHeaders, type ForwardedTo, type Forwards } from "./forwarding.ts";
import type { PoolOf } from "./listening.ts";
import { Passage } from "./passage.ts";
import { Relay } from "./relay.ts";

export interface RelayForwarderOptions {
  readonly poolOf: PoolOf;
  /** Returns a token that proves to a service that this process forwards requests. */
  readonly tokenFor: (service: string) => string;
  /** Determines the client; by default, the other end of the connection. */
  readonly visitorOf?: ClientOf;
  /** Returns the message to clients while a service is not running. */
  readonly unavailable: (service: string) => string;
}

/** The pause between two attempts, in milliseconds: a process of this machine listens again within moments. */
const pauseCeilingMs = 20;

/** Forwards requests to the processes of services on this machine, over a single connection to each process. */
export class RelayForwarder implements Forwards {
  readonly #options: RelayForwarderOptions;
  /** The connections, keyed by the port of the process. */
  readonly #relays = new Map<number, Relay>();

  constructor(options: RelayForwarderOptions) {
    this.#options = options;
  }

  /** Forwards a request. Waits briefly for a service that is restarting. */
  async forward(request: Request, { service, allow }: ForwardedTo): Promise<void> {
    const { poolOf, unavailable } = this.#options;
    const { exchange } = request;
    const passage = new Passage(exchange, this.#headers(exchange), allow);
    await attemptUntilOver(request, { service, poolOf, unavailable, pauseCeilingMs }, (pool) =>
      pool.use((_port, relayPort = 0) => passage.through(this.#relayTo(service, relayPort))),
    );
  }

  close(): void {
    for (const relay of this.#relays.values()) relay.close();
  }

  #relayTo(service: string, port: number): Relay {
    const existing = this.#relays.get(port);
    if (existing !== undefined) return existing;
    const onClosed = (): void => void this.#relays.delete(port);
    const relay = new Relay({ port, token: this.#options.tokenFor(service), onClosed });
    this.#relays.set(port, relay);
    return relay;
  }

  /** Returns the headers to forward: the client's, including repeated ones, and the front's. */
  #headers(exchange: Exchange): readonly string[] {
    const headers = endToEnd(exchange.rawHeaders, frontHeaders);
    headers.push(...clientHeaders(exchange, this.#options.visitorOf));
    if (exchange.takeOver !== undefined) headers.push("Connection", "Upgrade", "Upgrade", "websocket");
    return headers;
  }
}
