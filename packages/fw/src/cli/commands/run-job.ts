import { Refusal, type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import type { IO } from "../io.ts";
import { argument, optionalArgument } from "../parse.ts";

/** `fw run job`. */
export const runJob: Command = {
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
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const name = argument(args, "name");
    const text = checkedJSON(optionalArgument(args, "args"));
    const { placeOf } = await import("../data/place.ts");
    const { startJob } = await import("../run/runs.ts");
    const { run, isOver } = await startJob(await placeOf(options, io), name, text, io);
    io.out.write(`the run ${run} of ${name} ${isOver ? "is over" : "has started"}\n`);
    return 0;
  },
};

function checkedJSON(text: string | undefined): string | undefined {
  try {
    if (text !== undefined) JSON.parse(text);
    return text;
  } catch {
    throw new Refusal(`<args> is JSON, such as '{ "since": "2026-01-01T00:00:00Z" }', not ${text}`);
  }
}
