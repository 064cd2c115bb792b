import type { Registry } from "./registry.ts";

/** State outside of the database that a snapshot's reads depend on. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Read before the snapshot was taken. It lacks indexes that were registered later. */
  readonly registry: Registry;
}
