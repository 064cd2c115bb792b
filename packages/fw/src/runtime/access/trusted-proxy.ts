import { StatusError } from "../../declare/errors.ts";
import type { Headers } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { injectedPath } from "../routing/injected-path.ts";
import { bearerToken } from "./bearer.ts";

/** Who may connect to a service that visitors reach through another process only. */
export interface Admission {
  /** Whether a token is that of the process that hands visitors' requests on. */
  readonly forwards: (token: string) => boolean;
  /** Whether a token is one of those who may call the service: the platform, or another service. */
  readonly calls: (token: string) => boolean;
}

/** What a request shows of who sends it. */
interface Admitted {
  readonly exchange: Headers;
  readonly path: string;
  forwarded: boolean;
}

/** Carries the token of the process that hands a visitor's request on. */
export const forwardedHeader = "x-fw-forwarded";

/**
 * Notes that a request was handed on, and refuses one that nobody of the application has sent. What only the platform may ask for asks
 * for its token itself, and logs who has none. Throws a StatusError 403.
 */
export function requireAdmission(request: Admitted, { forwards, calls }: Admission): void {
  const token = request.exchange.header(forwardedHeader);
  if (token !== undefined && forwards(token)) {
    request.forwarded = true;
    return;
  }
  if (isForPlatform(request.path)) return;
  const called = bearerToken(request.exchange);
  if (called === undefined || !calls(called)) throw new StatusError(403, messages.notForVisitors);
}

function isForPlatform(path: string): boolean {
  const injected = injectedPath(path);
  return injected !== undefined && (injected === "api/push" || injected.startsWith("api/cron/"));
}
