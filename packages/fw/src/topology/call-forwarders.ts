import type { Request } from "../runtime/request.ts";
import { Forwarder } from "./forward.ts";
import { frontHeaders } from "./forwarding.ts";
import type { PoolOf } from "./listening.ts";

interface CallForwardersOptions {
  readonly poolOf: PoolOf;
  readonly tokenFor: (caller: string, service: string) => string;
}

/** Forwards calls between services. Replaces the caller's token with a new one. */
export class CallForwarders {
  readonly #options: CallForwardersOptions;
  readonly #forwarders = new Map<string, Forwarder>();

  constructor(options: CallForwardersOptions) {
    this.#options = options;
  }

  forward(request: Request, caller: string, service: string): Promise<void> {
    const forwarder = this.#forwarders.get(caller) ?? this.#newForwarder(caller);
    this.#forwarders.set(caller, forwarder);
    return forwarder.forward(request, { service });
  }

  close(): void {
    for (const forwarder of this.#forwarders.values()) forwarder.close();
  }

  #newForwarder(caller: string): Forwarder {
    const { poolOf, tokenFor } = this.#options;
    return new Forwarder({
      poolOf,
      signature: () => ["Authorization", ""],
      unavailable: (service) => `the service ${service} is not running`,
      dress: (service, headers) => [...withoutHeaders(headers), "Authorization", `Bearer ${tokenFor(caller, service)}`],
    });
  }
}

function withoutHeaders(headers: readonly string[]): readonly string[] {
  return headers.filter((_, i) => {
    const name = (headers[i - (i % 2)] ?? "").toLowerCase();
    return name !== "authorization" && !frontHeaders.has(name);
  });
}
