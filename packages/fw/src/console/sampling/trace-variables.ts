/** The environment variable with the share of ordinary requests whose traces `fw serve` keeps. */
export const shareVariable = "FW_TRACE_SHARE";

/** The environment variable with the minimum milliseconds of a slow request or delivery in `fw serve`. */
export const slowVariable = "FW_TRACE_SLOW";
