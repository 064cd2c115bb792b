/** The path below `/_fw/` at which metrics are scraped. */
export const scrapePath = "z/metrics";
