import { act } from "../parts/act.js";
import { ask, can } from "../parts/ask.js";
import { h, labelledTable, td, tr, undeclared } from "../parts/elements.js";
import { dateTime, ms, time } from "../parts/format.js";
import { placeLink } from "../parts/editor.js";
import { declared, events } from "../parts/live.js";

/** Runs to show for each cron and job. */
const shownRuns = 5;

/** The section with crons, jobs and singletons. */
export function schedules() {
  const [crons, jobs, singletons] = [declared("crons"), declared("jobs"), declared("singletons")];
  const nextRuns = new Map(crons.map(({ name }) => [name, td("tight")]));
  const lastRuns = new Map([...crons, ...jobs].map(({ name }) => [name, td("tight")]));
  const showRuns = () => {
    for (const [name, cell] of lastRuns) cell.replaceChildren(...runLines(name));
  };
  showRuns();
  const cronRow = ({ name, schedule, sentence, timezone, at }) =>
    tr(
      nameCell(name, at),
      td("", sentence ?? h("span", { class: "mono" }, schedule), h("div", { class: "muted" }, timezone)),
      nextRuns.get(name),
      lastRuns.get(name),
      h("button", { onclick: act(() => ask("crons/run", { name }), `${name} has finished.`) }, "Run now"),
    );
  const jobRow = ({ name, at, tenant: tenants }) => {
    const tenant = h("input", { ariaLabel: `Tenant of the run of ${name}`, placeholder: `id in ${tenants}` });
    const args = h("input", {
      ariaLabel: `Arguments for ${name}, as JSON`,
      placeholder: "arguments as JSON",
      class: "mono",
    });
    return tr(
      nameCell(name, at),
      td("text", can("jobs/start") && tenants && tenant, can("jobs/start") && args),
      lastRuns.get(name),
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
      ...(recorded ? [h("h2", {}, "Recorded runs"), runs] : []),
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
        nextRuns.get(name)?.replaceChildren(dateTime(next));
      if (recorded) runs.rows.replaceChildren(...(await ask("runs")).map(runRow));
    },
    every: recorded ? 2_000 : 10_000,
  };
}

/** A name above the place of its declaration. */
function nameCell(name, at) {
  return td("text", name, h("div", {}, placeLink(at)));
}

/** A run of a job with a history. */
function runRow({ id, job, requestedAt, state, progress, note, error, by, took }) {
  const isOpen = state === "waiting" || state === "running";
  const percent = `${Math.round(progress * 100)} %`;
  const colors = { done: "good", failed: "bad", cancelled: "warn" };
  const cancel = act(
    () => ask("runs/cancel", { job, id }),
    ({ done }) => (done ? "The run is cancelled." : "The run had ended."),
  );
  return tr(
    job,
    td("tight", dateTime(requestedAt)),
    td("tight", h("span", { class: colors[state] ?? "" }, state)),
    td(
      "text",
      h("progress", { value: progress, ariaLabel: `Progress of ${job}` }),
      ` ${percent}${note === undefined ? "" : `, ${note}`}`,
      error !== undefined && h("div", { class: "bad" }, error),
    ),
    td("tight", took === undefined ? "" : ms(took)),
    by ?? "",
    isOpen && can("runs/cancel") ? h("button", { onclick: cancel }, "Cancel") : "",
  );
}

/** The newest runs of a cron or a job, each with its result and duration. */
function runLines(name) {
  const runs = events.filter((event) => event.kind === "span" && event.name === `/_fw/api/cron/${name}`);
  return runs
    .slice(-shownRuns)
    .toReversed()
    .map(({ at, ms: took, failed, attempt }) =>
      h(
        "div",
        {},
        `${time(at)}, `,
        h("span", { class: failed ? "bad" : "good" }, failed ? "failed" : "completed"),
        ` in ${ms(took)}${attempt > 1 ? `, attempt ${attempt}` : ""}`,
      ),
    );
}
