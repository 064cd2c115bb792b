import type { Request } from "../request.ts";

/** An endpoint of the framework below `/_fw/`. */
export interface InjectedEndpoint {
  readonly methods: readonly string[];
  /**
   * Handles a request. `rest` is the path below the endpoint's own, such as a token; "" if there is none. Throws a
   * StatusError to refuse it.
   */
  handle(request: Request, rest: string): void | Promise<void>;
}

/** Endpoints by path below `/_fw/` (`api/session`); a key that ends in `/` matches every path below it. */
export type InjectedEndpoints = Readonly<Record<string, InjectedEndpoint>>;
