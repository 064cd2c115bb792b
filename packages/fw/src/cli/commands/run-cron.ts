import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { dataOption } from "../data/directory.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw run cron`. */
export const runCron: Command = {
  name: "run cron",
  summary: "run a cron now, whatever its schedule says",
  details: [
    "Runs in the dev server of the application, where one is running, else in one that is started for it. Waits for the end; the exit code is 1 when the run fails.",
  ],
  arguments: [{ name: "name", summary: "the cron's name" }],
  options: { data: dataOption },
  examples: [{ line: "fw run cron digest", says: "what would happen at seven on Monday" }],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const name = argument(args, "name");
    const { placeOf } = await import("../data/place.ts");
    const { requireDeclared } = await import("../run/declared.ts");
    const { refusalOf, withServer } = await import("../run/server.ts");
    const place = await placeOf(options, io);
    await requireDeclared(place, "cron", name);
    const answer = await withServer(place, io, (server) => server.post(`api/cron/${encodeURIComponent(name)}`));
    if (answer.status !== 204 && answer.status !== 500) throw refusalOf(answer);
    if (answer.status === 500) io.err.write(`the cron ${name} failed; the log of the application says why\n`);
    else io.out.write(`the cron ${name} ran\n`);
    return answer.status === 204 ? 0 : 1;
  },
};
