// The names of steps, as developers know them.

/** A run of a job or a cron is a step with the name of its route. */
export function stepName(name, kind = "job") {
  return name.replace("/_fw/api/cron/", `${kind} `);
}
