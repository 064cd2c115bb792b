import { StatusError } from "../../declare/errors.ts";
import { messages } from "../error-messages.ts";

/** Limit: the `Retry-After` of a sign-in refused because too many password checks are waiting, in milliseconds. */
export const busyMs = 5_000;

/** Answers 503, because too much work of this kind is waiting. It does not reveal whose work that is. */
export class Busy extends StatusError {
  /** Seconds after which the client may try again. */
  readonly retryAfter: number = busyMs / 1_000;

  constructor() {
    super(503, messages.busy);
  }
}
