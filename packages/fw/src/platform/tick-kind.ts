/** The kind of ticks of crons that have run, whose ids are `<cron>@<instant>`. */
export const tickKind = "_fw_ticks";
