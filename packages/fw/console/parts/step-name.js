// The names of steps, as developers know them.

/** Returns the name of a step. Replaces the internal route after which the runtime names a run of a job or a cron. */
export function stepName(name, kind = "job") {
  return name.replace("/_fw/api/cron/", `${kind} `);
}
