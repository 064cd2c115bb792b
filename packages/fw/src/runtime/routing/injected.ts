import { percentDecoded } from "../../lib/percent.ts";
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

const prefix = "/_fw";

/** What lies below `/_fw/` in a path, or undefined: `/_fw` and its escaped spellings are the framework's too. */
export function injectedPath(path: string): string | undefined {
  const second = path.charCodeAt(1);
  if (second !== 95 && second !== 37) return undefined;
  const end = path.indexOf("/", 1);
  const first = percentDecoded(end === -1 ? path : path.slice(0, end));
  if (first !== prefix) return undefined;
  return end === -1 ? "" : path.slice(end + 1);
}
