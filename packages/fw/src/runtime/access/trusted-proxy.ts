import { StatusError } from "../../declare/errors.ts";
import type { Exchange, Headers } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { injectedPath } from "../exchange/http-guard.ts";
import { bearerToken } from "./bearer.ts";

/** The header with the token of the process in front of the services, for requests that it forwards over HTTP. */
export const forwardedHeader = "x-fw-forwarded";

/** Checks connections to a service that clients reach only through another process. */
export interface Admission {
  /** Returns true for a token of a caller: the platform or another service. */
  readonly calls: (token: string) => boolean;
}

/** The parts of a request that `requireAdmission` reads, and the mark that it sets. */
interface ProxiedRequest {
  readonly exchange: Headers & Pick<Exchange, "isForwarded">;
  readonly path: string;
  forwarded: boolean;
}

/**
 * Marks forwarded requests. Throws a 403 for others without the token of a caller, except to the platform's endpoints,
 * which check the token themselves and log refusals.
 */
export function requireAdmission(request: ProxiedRequest, { calls }: Admission): void {
  if (request.exchange.isForwarded) {
    request.forwarded = true;
    return;
  }
  if (isForPlatform(request.path)) return;
  const own = bearerToken(request.exchange);
  if (own === undefined || !calls(own)) throw new StatusError(403, messages.notForVisitors);
}

function isForPlatform(path: string): boolean {
  const injected = injectedPath(path);
  return injected !== undefined && (injected === "api/push" || injected.startsWith("api/cron/"));
}
