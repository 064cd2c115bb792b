/** The kind of documents that record crons which have run. Their ids are `<cron>@<instant>`. */
export const tickKind = "_fw_ticks";
