// The names of steps, as developers know them.

/** Returns the name of a step. The step of a run of a job or a cron is named after its internal route. */
export function stepName(name, kind = "job") {
  return name.replace("/_fw/api/cron/", `${kind} `);
}
