/** The kind of the documents that record the runs of crons. Their ids are `<cron>@<instant>`. */
export const tickKind = "_fw_ticks";
