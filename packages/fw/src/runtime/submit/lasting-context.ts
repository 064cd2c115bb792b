import type { Lifetime } from "../../platform/lifetime.ts";
import type { Request } from "../request.ts";
import { RequestContext } from "../request-context.ts";

/** A context whose operations continue after the client has disconnected, up to the time limit of a response. */
export class LastingContext extends RequestContext {
  readonly #lifetime: Lifetime;

  constructor(request: Request, lifetime: Lifetime) {
    super(request);
    this.#lifetime = lifetime;
  }

  override get lifetime(): Lifetime {
    return this.#lifetime;
  }

  override get signal(): AbortSignal {
    return this.#lifetime.signal;
  }
}
