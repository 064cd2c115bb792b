/** The environment variable that tells services of `fw serve` the share of ordinary requests whose traces to keep. */
export const shareVariable = "FW_TRACE_SHARE";

/**
 * The environment variable that tells services of `fw serve` the milliseconds from which a request or a delivery counts
 * as slow.
 */
export const slowVariable = "FW_TRACE_SLOW";
