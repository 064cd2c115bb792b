import type { Span } from "../../model/diagnostic.ts";

/** An operation in a live page's code that changes data, or reads data whose changes do not reach browsers. */
export interface UnfollowedUse {
  readonly route: string;
  /** The operation in words: `update of the entity tickets`. */
  readonly operation: string;
  readonly at: Span;
}
