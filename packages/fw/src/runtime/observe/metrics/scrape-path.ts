/** Where metrics are scraped, below `/_fw/`. */
export const scrapePath = "z/metrics";
