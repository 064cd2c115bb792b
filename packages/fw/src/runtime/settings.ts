export type { Settings } from "./places.ts";

/**
 * The settings of each place where an application runs. A namespace, not an object: bundlers drop the places that
 * nothing reads.
 */
export * as settings from "./places.ts";
