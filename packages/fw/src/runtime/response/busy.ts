import { StatusError } from "../../declare/errors.ts";
import { messages } from "../error-messages.ts";

/** Limit: the `Retry-After` of a sign-in refused because too many password checks are waiting, in milliseconds. */
export const busyMs = 5_000;

/** Work that is not begun because too much of its kind waits: 503. It says nothing of whose work it was. */
export class Busy extends StatusError {
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number = busyMs / 1_000;

  constructor() {
    super(503, messages.busy);
  }
}
