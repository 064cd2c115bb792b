import { StatusError } from "../declare/errors.ts";
import { formatDuration } from "../lib/duration.ts";
import { trafficTimeoutMs } from "../lib/limits.ts";
import { DeadlinePassed } from "../platform/deadline.ts";
import { packageOf } from "./application.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { messages } from "./messages.ts";
import type { Request } from "./request.ts";
import { fail } from "./response/error.ts";

/**
 * Gives up a request whose answer takes longer than its service may: its signal aborts, and it is answered 504. An answer that has begun
 * is cut off. What the handler comes to later is nobody's.
 */
export function limitTime(request: Request, endpoint: BundledEndpoint): void {
  const milliseconds = packageOf(request.app, endpoint)?.timeout ?? trafficTimeoutMs;
  request.timer = setTimeout(giveUp, milliseconds, request, milliseconds);
}

function giveUp(request: Request, milliseconds: number): void {
  request.timedOut = true;
  request.log.warn("the answer took too long", { timeout: formatDuration(milliseconds), route: request.route });
  request.abort(new DeadlinePassed(milliseconds));
  fail(request, new StatusError(504, messages.tookTooLong));
}
