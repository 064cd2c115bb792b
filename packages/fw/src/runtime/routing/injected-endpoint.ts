import type { Request } from "../request.ts";

/** Answers the requests to one path under `/_fw/`. */
export interface InjectedEndpoint {
  readonly methods: readonly string[];
  /**
   * Answers a request with `reply.ts`. `rest` is the path below the endpoint's own, such as a token;
   * "" when there is none. Throws a StatusError to refuse it.
   */
  handle(request: Request, rest: string): void | Promise<void>;
}

/** Endpoints by path below `/_fw/` (`api/session`); a key that ends in `/` takes everything below it. */
export type InjectedEndpoints = Readonly<Record<string, InjectedEndpoint>>;
