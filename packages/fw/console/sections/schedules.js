import { act } from "../parts/act.js";
import { ask } from "../parts/ask.js";
import { h, none, table, td, tr } from "../parts/elements.js";
import { declared } from "../parts/live.js";

/** The section with crons, jobs and singletons. */
export function schedules() {
  const [crons, jobs, singletons] = [declared("crons"), declared("jobs"), declared("singletons")];
  const cronRow = ({ name, schedule, timezone, at }) =>
    tr(
      td("tight", name),
      td("tight mono", schedule),
      td("tight", timezone),
      td("tight mono", at),
      h("button", { onclick: act(() => ask("crons/run", { name }), `${name} has finished.`) }, "Run now"),
    );
  const jobRow = ({ name, at }) => {
    const args = h("input", {
      ariaLabel: `Arguments for ${name}, as JSON`,
      placeholder: "arguments as JSON",
      class: "mono",
    });
    return tr(
      td("tight", name),
      td("text", args),
      td("tight mono", at),
      h(
        "button",
        {
          onclick: act(
            () => ask("jobs/start", { name, args: args.value }),
            ({ run }) => `Started ${name}: ${run}`,
          ),
        },
        "Start",
      ),
    );
  };
  return {
    nodes: [
      h("h1", {}, "Crons and jobs"),
      h("h2", {}, "Crons"),
      crons.length === 0
        ? none("The application declares no Cron.")
        : table("Crons", ["Name", "Schedule", "Time zone", "Declared at", ""], crons.map(cronRow)),
      h("h2", {}, "Jobs"),
      jobs.length === 0
        ? none("The application declares no Job.")
        : table("Jobs", ["Name", "Arguments", "Declared at", ""], jobs.map(jobRow)),
      ...(singletons.length === 0
        ? []
        : [
            h("h2", {}, "Singletons"),
            table(
              "Singletons",
              ["Name", "Service", "Declared at"],
              singletons.map(({ name, service, at }) => tr(name, service, td("mono", at))),
            ),
          ]),
    ],
  };
}
