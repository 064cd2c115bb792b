/** Environment variable for services of `fw serve`: the share of requests whose traces to keep. */
export const shareVariable = "FW_TRACE_SHARE";
