import { declarationKey } from "../../../model/declarations.ts";
import type { ParsedDestination } from "../../readers/destination.ts";
import type { ParsedRunner } from "../../readers/runner.ts";
import type { Finding, Rule } from "../../rule.ts";
import { jobsOf, ofKind } from "../select.ts";

/** Limit: the maximum number of tasks of a job with a history, because one document holds all their states. */
const mostRecordedTasks = 100;

export const jobHistory: Rule = {
  id: "job-history",
  title: `A job with \`history\` has at most ${mostRecordedTasks} tasks`,
  *app({ packages }) {
    const jobs = packages.flatMap((pkg) => jobsOf(pkg).filter(({ rules }) => rules.history !== undefined));
    const jobsByKey = new Map(jobs.map((job) => [declarationKey(job.declaration), job]));
    for (const runner of packages.flatMap((pkg) => ofKind(pkg, "runner"))) {
      const job = runner.source.kind === "job" ? jobsByKey.get(declarationKey(runner.source)) : undefined;
      if (job !== undefined) yield* tooManyTasks(job, runner);
    }
  },
};

function* tooManyTasks({ rules }: ParsedDestination, { config }: ParsedRunner): Iterable<Finding> {
  const { tasks } = config.settings;
  const { history } = rules;
  if (tasks?.value === undefined || tasks.value <= mostRecordedTasks || history === undefined) return;
  yield {
    at: tasks.at,
    message: `tasks is ${tasks.value}, but a job with history can have at most ${mostRecordedTasks}`,
    hint: `write at most ${mostRecordedTasks}, or remove history`,
    related: [{ at: history.at, message: "its runs are recorded here" }],
  };
}
