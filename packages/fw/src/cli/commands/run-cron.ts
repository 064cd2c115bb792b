import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw run cron`. */
export const runCron: Command = {
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
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const name = argument(args, "name");
    const { placeOf } = await import("../data/place.ts");
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
};
