import { StatusError } from "../declare/errors.ts";
import { formatDuration } from "../lib/duration.ts";
import { DeadlinePassed } from "../platform/deadline.ts";
import { timeoutOf } from "./application.ts";
import type { BundledEndpoint } from "./bundle.ts";
import { messages } from "./error-messages.ts";
import { routeLogger } from "./observe/log.ts";
import type { Request } from "./request.ts";
import { fail } from "./response/error.ts";

/** The maximum interval between checks for requests that take too long, in milliseconds. */
const longestLookMs = 250;

/**
 * Limits the duration of a response to its service's timeout. After that, aborts the request's signal and responds with
 * 504, or cuts the response if it has started. The handler's eventual result is dropped.
 */
export function limitTime(request: Request, endpoint: BundledEndpoint): void {
  const milliseconds = timeoutOf(request.app, endpoint);
  let limit = limits.get(milliseconds);
  if (limit === undefined) limits.set(milliseconds, (limit = new TimeLimit(milliseconds)));
  limit.begin(request);
}

const limits: Map<number, TimeLimit> = new Map();

/** The limit of all requests with the same timeout. A timer for each would cost more than the request itself. */
class TimeLimit {
  readonly #milliseconds: number;
  readonly #running: Set<Request> = new Set();
  #looking: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  begin(request: Request): void {
    request.limit = this;
    this.#running.add(request);
    this.#looking ??= setInterval(() => this.#look(), Math.min(this.#milliseconds / 4, longestLookMs));
  }

  end(request: Request): void {
    this.#running.delete(request);
  }

  #look(): void {
    const latest = performance.now() - this.#milliseconds;
    for (const request of this.#running) {
      if (request.startedAt > latest) continue;
      this.#running.delete(request);
      giveUp(request, this.#milliseconds);
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

function giveUp(request: Request, milliseconds: number): void {
  request.timedOut = true;
  routeLogger(request.route, request.log).warn("the service took too long to answer", {
    timeout: formatDuration(milliseconds),
  });
  request.abort(new DeadlinePassed(milliseconds));
  fail(request, new StatusError(504, messages.tookTooLong));
}
