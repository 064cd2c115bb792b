/** The kind of the documents with the ticks of crons, whose ids begin with the cron's name. */
export const tickKind = "_fw_ticks";
