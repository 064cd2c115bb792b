export type { Settings } from "./places.ts";

/**
 * The settings of each place where an application can run. A namespace rather than an object, so bundlers drop unused
 * places.
 */
export * as settings from "./places.ts";
