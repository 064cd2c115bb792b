// The names of steps, as developers know them.

/** Returns a step's name. For a run of a job or a cron, replaces the prefix of its internal route with `kind`. */
export function stepName(name, kind = "job") {
  return name.replace("/_fw/api/cron/", `${kind} `);
}
