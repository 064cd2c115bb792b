import { act } from "../parts/act.js";
import { ask, can } from "../parts/ask.js";
import { h, keyed, labelledTable, none, renew, td, tr, undeclared } from "../parts/elements.js";
import { dateTime, distance, duration } from "../parts/format.js";
import { placeLink } from "../parts/editor.js";
import { declared, events, failureLine, model } from "../parts/live.js";
import { causeOf, errorText } from "../parts/log-line.js";
import { stackContent } from "../parts/stack.js";

/** The number of runs to show for each cron and job. */
const shownRuns = 5;

/** Creates the section with crons, jobs and singletons. */
export function schedules() {
  const [crons, jobs, singletons] = [declared("crons"), declared("jobs"), declared("singletons")];
  const nextRuns = new Map(crons.map(({ name }) => [name, td("tight")]));
  const lastRuns = new Map([...crons, ...jobs].map(({ name }) => [name, runsCell(name)]));
  const showRuns = (fresh) => {
    for (const { added } of lastRuns.values()) added(fresh);
  };
  showRuns(events);
  const cronRow = ({ name, schedule, sentence, timezone, at }) =>
    tr(
      nameCell(name, at),
      td("", sentence ?? h("span", { class: "mono" }, schedule), h("div", { class: "muted" }, timezone)),
      nextRuns.get(name),
      lastRuns.get(name).cell,
      h("button", { onclick: act(() => ask("crons/run", { name }), `${name} has finished.`) }, "Run now"),
    );
  const jobRow = ({ name, at, tenant: tenants }) => {
    const tenant = h("input", { ariaLabel: `Tenant of the run of ${name}`, placeholder: `id in ${tenants}` });
    const { sample } = model.jobs?.find(({ job }) => job === name) ?? {};
    const args = h("input", {
      value: sample ?? "",
      ariaLabel: `Arguments for ${name}, as JSON`,
      placeholder: "arguments as JSON",
      class: "mono",
    });
    return tr(
      nameCell(name, at),
      td(
        "text",
        can("jobs/start") && tenants && tenant,
        can("jobs/start") && (sample === "" ? h("span", { class: "muted" }, "none") : args),
      ),
      lastRuns.get(name).cell,
      can("jobs/start")
        ? h(
            "button",
            {
              onclick: act(
                () => ask("jobs/start", { name, args: args.value, ...(tenants && { tenant: tenant.value.trim() }) }),
                ({ run }) => `Started ${name}: ${run}`,
              ),
            },
            "Start",
          )
        : "",
    );
  };
  const recorded = jobs.some(({ history }) => history !== undefined);
  const runs = labelledTable("Recorded runs", ["Job", "Requested", "State", "Progress", "Duration", "By", ""], []);
  const noRuns = none("No run of these jobs is recorded yet.");
  return {
    nodes: [
      h("h1", {}, "Crons and jobs"),
      h("h2", {}, "Crons"),
      crons.length === 0
        ? undeclared("Cron")
        : labelledTable("Crons", ["Name", "Schedule", "Next run", "Last runs", ""], crons.map(cronRow)),
      h("h2", {}, "Jobs"),
      jobs.length === 0
        ? undeclared("Job")
        : labelledTable("Jobs", ["Name", "Arguments", "Last runs", ""], jobs.map(jobRow)),
      ...(recorded ? [h("h2", {}, "Recorded runs"), noRuns, runs] : []),
      ...(singletons.length === 0
        ? []
        : [
            h("h2", {}, "Singletons"),
            labelledTable(
              "Singletons",
              ["Name", "Service", "Declared at"],
              singletons.map(({ name, service, at }) => tr(name, service, placeLink(at))),
            ),
          ]),
    ],
    added: showRuns,
    load: async () => {
      for (const [name, next] of Object.entries(await ask("schedules")))
        nextRuns.get(name)?.replaceChildren(h("div", {}, distance(next)), h("div", { class: "muted" }, dateTime(next)));
      if (!recorded) return;
      const rows = (await ask("runs")).map(runRow);
      [noRuns.hidden, runs.hidden] = [rows.length > 0, rows.length === 0];
      renew(runs.rows, ...rows);
    },
    every: recorded ? 2_000 : 10_000,
  };
}

/** Creates a cell with a name above the location of its declaration. */
function nameCell(name, at) {
  return td("text", name, h("div", {}, placeLink(at)));
}

/** Creates the row of a run of a job with a history. */
function runRow({ id, job, requestedAt, state, progress, note, error, by, took }) {
  const isOpen = state === "waiting" || state === "running";
  const percent = `${Math.round(progress * 100)} %`;
  const colors = { done: "good", failed: "bad", cancelled: "warn" };
  const cancel = act(
    () => ask("runs/cancel", { job, id }),
    ({ done }) => (done ? "The run is cancelled." : "The run had ended."),
  );
  const row = tr(
    job,
    td("tight", h("span", { title: dateTime(requestedAt) }, distance(requestedAt))),
    td("tight", h("span", { class: colors[state] ?? "" }, isOpen && error !== undefined ? "retrying" : state)),
    td(
      "text",
      h("progress", { value: progress, ariaLabel: `Progress of ${job}` }),
      ` ${percent}${note === undefined ? "" : `, ${note}`}`,
      error !== undefined && h("div", { class: "bad" }, error),
    ),
    td("tight", took === undefined ? "" : duration(took)),
    by ?? "",
    isOpen && can("runs/cancel") ? h("button", { onclick: cancel }, "Cancel") : "",
  );
  return keyed(id, row);
}

/**
 * Creates the cell with the newest runs of a cron or a job. `added` shows the runs in new events. Keeps the lines if
 * they are unchanged, because their errors may be open.
 */
function runsCell(name) {
  const cell = td("text", h("span", { class: "muted" }, "none recorded"));
  const isRun = (event) => event.kind === "span" && event.name === `/_fw/api/cron/${name}`;
  // Oldest first.
  let runs = [];
  const added = (fresh) => {
    const arrived = fresh.filter(isRun).slice(-shownRuns);
    // The page may receive the error of a run before the run or after it.
    const next = [
      ...runs.map((run) => withCause(run, name, fresh)),
      ...arrived.map((run) => withCause(run, name, events)),
    ].slice(-shownRuns);
    const isSame = next.length === runs.length && next.every((run, i) => run === runs[i]);
    runs = next;
    if (!isSame) cell.replaceChildren(...runs.toReversed().map(runLine));
    for (const [i, { at }] of runs.toReversed().entries()) cell.children[i].firstChild.textContent = distance(at);
  };
  return { cell, added };
}

/** Adds the log line with the error to a failed run if `lines` contains it. Otherwise, returns the run unchanged. */
function withCause(run, name, lines) {
  const cause = run.failed && !run.cause ? causeOfRun(run, name, lines) : undefined;
  return cause ? { ...run, cause } : run;
}

function runLine({ at, ms: took, failed, attempt, cause }) {
  return h(
    "div",
    { title: dateTime(at) },
    h("span", {}),
    ", ",
    h("span", { class: failed ? "bad" : "good" }, failed ? "failed" : "completed"),
    ` in ${duration(took)}${attempt > 1 ? `, attempt ${attempt}` : ""}`,
    cause && h("details", {}, h("summary", { class: "bad" }, errorText(cause)), stackContent(causeOf(cause))),
  );
}

/** Finds the log line with the error of a failed run. The attempts of a run share a trace. */
function causeOfRun({ trace, attempt = 1 }, name, lines) {
  return failureLine(
    ({ fields }) =>
      fields.trace === trace && (fields.cron === name || fields.job === name) && (fields.attempt ?? 1) === attempt,
    lines,
  );
}
