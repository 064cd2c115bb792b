import { StatusError } from "../../declare/errors.ts";
import { messages } from "../error-messages.ts";

/** Limit: the `Retry-After` of a sign-in refused because too many password checks are waiting, in milliseconds. */
export const busyMs = 5_000;

export class RetryLater extends StatusError {
  /** Seconds after which the client may try again. */
  readonly retryAfter: number;

  constructor(status: number, message: string, retryAfter: number, details?: unknown) {
    super(status, message, details);
    this.retryAfter = retryAfter;
  }
}

/** A 503, thrown because too many password checks are waiting. It is the same for every account. */
export class Busy extends RetryLater {
  constructor() {
    super(503, messages.busy, busyMs / 1_000);
  }
}
