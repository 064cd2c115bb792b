import { command, Refusal, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";

export const runCommands: readonly Command[] = [
  command({
    name: "run cron",
    summary: "run a cron now, regardless of its schedule",
    details: [
      "Runs the cron in the server that runs on the data: fw dev or fw serve. If none is running, fw starts a dev server for this run. Waits for the end, and exits with 1 if the run fails.",
      "With --project, Cloud Scheduler triggers the deployed cron, and fw does not wait for it. A failed run is not retried: the cron runs again at its next time.",
    ],
    arguments: [{ name: "name", summary: "the name of the cron" }],
    options: placeOptions,
    examples: [
      { line: "fw run cron digest", says: "run it on this machine" },
      { line: "fw run cron digest --project acme-1 --env prod --region europe-west1", says: "run the deployed cron" },
    ],
    async run(options, io, args) {
      const name = args.name;
      const { placeOf } = await import("../data/local-or-deployed.ts");
      const { runCronNow } = await import("../run/runs.ts");
      const run = await runCronNow(await placeOf(options, io), name, io);
      if (run === "failed") {
        io.err.write(`the cron ${name} failed; read "fw logs" for the reason\n`);
        return 1;
      }
      io.out.write(
        run === "ran" ? `the cron ${name} ran\n` : `the cron ${name} was triggered; follow it with "fw logs"\n`,
      );
      return 0;
    },
  }),
  command({
    name: "run job",
    summary: "start a job",
    details: [
      "Starts the job in the server that runs on the data, fw dev or fw serve, and does not wait. If none is running, fw starts a dev server and stops it when the tasks have run; a failed task is retried when the application runs next.",
      "With --project, the run is an execution of the deployed job; follow it with fw logs.",
    ],
    arguments: [
      { name: "name", summary: "the name of the job" },
      { name: "args", takes: "optional", summary: "its arguments, as JSON" },
    ],
    options: {
      ...placeOptions,
      tenant: { value: "<id>", summary: "the tenant of the run, for a job with tenants" },
    },
    examples: [
      { line: "fw run job rebuild", says: "start a job without arguments" },
      { line: `fw run job rebuild '{ "since": "2026-01-01T00:00:00Z" }'`, says: "start a job with arguments" },
      { line: "fw run job rebuild --tenant acme", says: "start a job of the tenant acme" },
      { line: "fw run job rebuild --project acme-1 --env prod --region europe-west1", says: "start the deployed job" },
    ],
    async run(options, io, args) {
      const name = args.name;
      const json = checkedJSON(args.args);
      const { placeOf } = await import("../data/local-or-deployed.ts");
      const { startJob } = await import("../run/runs.ts");
      const { run, isOver } = await startJob(await placeOf(options, io), { name, json, tenant: options.tenant }, io);
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
    throw new Refusal(`<args> must be JSON, such as '{ "since": "2026-01-01T00:00:00Z" }', not ${text}`);
  }
}
