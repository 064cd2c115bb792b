import { shutdownMs } from "../lib/limits.ts";
import { forwardedHeader } from "../runtime/access/trusted-proxy.ts";
import { endToEnd } from "../runtime/exchange/end-to-end.ts";
import type { Exchange } from "../runtime/exchange/exchange.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { connected, type ClientOf } from "./client-address.ts";
import type { ForwardedTo, Forwards } from "./forward.ts";
import { listening, requestWait, type PoolOf } from "./listening.ts";
import { announcesBody, Passage } from "./passage.ts";
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

/** Headers that only the front sets. */
const ownHeaders: ReadonlySet<string> = new Set(["x-forwarded-for", "x-forwarded-proto", forwardedHeader]);

/** Milliseconds between attempts. */
const pauseMs = 20;

/**
 * Attempts to connect. After an error, a service accepts no connections until it has finished its work and restarted.
 */
const maxAttempts = Math.ceil(shutdownMs / pauseMs);

/**
 * The maximum number of attempts for a request that is safe to retry when the connection is cut without a response. The
 * limit protects the service from a request that crashes every process it reaches.
 */
const cutAttempts = 2;

/** Forwards requests to the processes of services on this machine, over a single connection to each process. */
export class RelayForwarder implements Forwards {
  readonly #options: RelayForwarderOptions;
  /** By port. */
  readonly #relays = new Map<number, Relay>();

  constructor(options: RelayForwarderOptions) {
    this.#options = options;
  }

  /** Forwards a request. Waits briefly for a service that is restarting. */
  async forward(request: Request, { service, allow }: ForwardedTo): Promise<void> {
    const { poolOf, unavailable } = this.#options;
    const { exchange } = request;
    const passage = new Passage(exchange, this.#headers(exchange), allow);
    const wait = requestWait(exchange);
    let cuts = 0;
    for (let tries = 0; tries < maxAttempts; tries++) {
      const pool = await listening(service, poolOf, wait);
      if (!exchange.isOpen) return;
      if (pool === undefined || pool.hasFailed) break;
      const outcome = await pool.use((_port, relayPort = 0) => passage.through(this.#relayTo(service, relayPort)));
      if (outcome === "over") return;
      if (outcome === "cut" && (++cuts === cutAttempts || !isRepeatable(exchange)))
        return sayNoAnswer(request, service);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    refuse(request, { status: 503, message: unavailable(service) });
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

  /** Forwards headers unchanged, including repeated ones. */
  #headers(exchange: Exchange): readonly string[] {
    const headers = endToEnd(exchange.rawHeaders, ownHeaders);
    const before = exchange.header("x-forwarded-for");
    const { address, scheme } = (this.#options.visitorOf ?? connected)(exchange);
    headers.push("X-Forwarded-For", before === undefined ? address : `${before}, ${address}`);
    headers.push("X-Forwarded-Proto", scheme);
    if (exchange.takeOver !== undefined) headers.push("Connection", "Upgrade", "Upgrade", "websocket");
    return headers;
  }
}

/**
 * Responds after a service has cut the connection. Cuts the connection of a client that is still sending instead,
 * because the service may have cut its own for a client that is too slow.
 */
function sayNoAnswer(request: Request, service: string): void {
  const { exchange } = request;
  if (announcesBody(exchange) && !exchange.isComplete) return exchange.cut();
  refuse(request, { status: 502, message: `the service ${service} does not respond` });
}

/** True if the request is complete and safe to repeat. */
function isRepeatable(exchange: Exchange): boolean {
  return (exchange.method === "GET" || exchange.method === "HEAD") && !announcesBody(exchange);
}
