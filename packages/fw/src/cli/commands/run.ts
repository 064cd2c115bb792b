import { command, Refusal, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";

export const runCommands: readonly Command[] = [
  command({
    name: "run cron",
    summary: "run a cron now, whatever its schedule says",
    details: [
      "Runs in the dev server of the application, where one is running, else in one that is started for it. Waits for the end; the exit code is 1 when the run fails.",
      "With --project Cloud Scheduler triggers the cron that is deployed there, and nobody waits; what of it fails is tried again as at any other time.",
    ],
    arguments: [{ name: "name", summary: "the cron's name" }],
    options: placeOptions,
    examples: [
      { line: "fw run cron digest", says: "what would happen at seven on Monday" },
      { line: "fw run cron digest --project acme-1 --env prod --region europe-west1", says: "where it is deployed" },
    ],
    async run(options, io, args) {
      const name = args.name;
      const { placeOf } = await import("../data/local-or-deployed.ts");
      const { runCronNow } = await import("../run/runs.ts");
      const run = await runCronNow(await placeOf(options, io), name, io);
      if (run === "failed") {
        io.err.write(`the cron ${name} failed; the log of the application says why\n`);
        return 1;
      }
      io.out.write(
        run === "ran" ? `the cron ${name} ran\n` : `the cron ${name} is triggered; fw logs shows how it goes\n`,
      );
      return 0;
    },
  }),
  command({
    name: "run job",
    summary: "start a job",
    details: [
      "Starts in the dev server of the application, where one is running, and does not wait. Where none is running, one is started for it, and stopped when the tasks have run; a task that failed is tried again when the application runs next.",
      "With --project the run is an execution of the job that is deployed there; fw logs shows what it logs.",
    ],
    arguments: [
      { name: "name", summary: "the job's name" },
      { name: "args", takes: "optional", summary: "its arguments, as JSON" },
    ],
    options: placeOptions,
    examples: [
      { line: "fw run job rebuild", says: "a job without arguments" },
      { line: `fw run job rebuild '{ "since": "2026-01-01T00:00:00Z" }'`, says: "with arguments" },
      { line: "fw run job rebuild --project acme-1 --env prod --region europe-west1", says: "where it is deployed" },
    ],
    async run(options, io, args) {
      const name = args.name;
      const json = checkedJSON(args.args);
      const { placeOf } = await import("../data/local-or-deployed.ts");
      const { startJob } = await import("../run/runs.ts");
      const { run, isOver } = await startJob(await placeOf(options, io), { name, json }, io);
      io.out.write(`the run ${run} of ${name} ${isOver ? "is over" : "has started"}\n`);
      return 0;
    },
  }),
];

function checkedJSON(text: string | undefined): string | undefined {
  try {
    if (text !== undefined) JSON.parse(text);
    return text;
  } catch {
    throw new Refusal(`<args> is JSON, such as '{ "since": "2026-01-01T00:00:00Z" }', not ${text}`);
  }
}
