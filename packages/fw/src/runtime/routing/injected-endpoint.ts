import type { Request } from "../request.ts";

/** An endpoint of the framework below `/_fw/`. */
export interface InjectedEndpoint {
  readonly methods: readonly string[];
  /**
   * Handles a request. `rest` is the remainder of the path after the endpoint's own, such as a token; "" if there is
   * none. Throws a StatusError to refuse the request.
   */
  handle(request: Request, rest: string): void | Promise<void>;
}

/** Endpoints by path below `/_fw/` (`api/session`). A key that ends in `/` matches every path below it. */
export type InjectedEndpoints = Readonly<Record<string, InjectedEndpoint>>;
