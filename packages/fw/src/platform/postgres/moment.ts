import type { Registry } from "./registry.ts";

/** The state outside of the database that the reads of a snapshot depend on. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** From before the snapshot: it lacks the entries of later indexes. */
  readonly registry: Registry;
}
