import type { Span } from "../../model/diagnostic.ts";

/** An operation in a live page's code that changes data, or reads data whose changes do not reach browsers. */
export interface UnfollowedUse {
  readonly route: string;
  /** The operation as a developer writes it: `tickets.update`. */
  readonly operation: string;
  readonly at: Span;
}
