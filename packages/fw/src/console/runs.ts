import type { ConsoleModel } from "../generate/console-model.ts";
import { transact } from "../platform/transact.ts";
import { cancelMs } from "../runtime/background/run-operations.ts";
import { cancelRun, readRuns } from "../runtime/background/run-records.ts";
import { BadInput, text, type Input } from "./input.ts";
import { data, type ConsoleParts } from "./parts.ts";

/** The number of recorded runs to show for each job. */
const shownRuns = 20;

/** Returns the newest runs of all jobs with a history, newest first. */
export async function listRuns(_input: Input, parts: ConsoleParts): Promise<unknown> {
  const jobs = recordedJobsIn(parts.model());
  if (jobs.length === 0) return [];
  const { entities, clock } = await data(parts);
  const now = clock.now();
  const all = await Promise.all(
    jobs.map(async ({ name, history }) =>
      (await readRuns(entities, { job: name, history }, shownRuns, now)).map((run) => ({
        ...run,
        job: name,
        ...(run.beganAt && { took: (run.endedAt?.getTime() ?? now) - run.beganAt.getTime() }),
      })),
    ),
  );
  return all.flat().toSorted((one, other) => other.requestedAt.getTime() - one.requestedAt.getTime());
}

/** Cancels a run. */
export async function cancelListedRun(input: Input, parts: ConsoleParts): Promise<{ readonly done: boolean }> {
  const name = text(input, "job");
  const job = recordedJobsIn(parts.model()).find((each) => each.name === name);
  if (job === undefined) throw new BadInput(`the job "${name}" records no runs`);
  const platform = await data(parts);
  const run = { id: text(input, "id"), job: name, within: cancelMs, history: job.history };
  return { done: await transact(platform, (transaction) => cancelRun(transaction, run, platform.clock.now())) };
}

function recordedJobsIn(
  model: ConsoleModel | undefined,
): readonly { readonly name: string; readonly history: number }[] {
  const jobs = (model?.graph.services ?? []).flatMap((service) => service.jobs ?? []);
  return jobs.flatMap(({ name, history }) => (history === undefined ? [] : [{ name, history }]));
}
