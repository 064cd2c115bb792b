import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { dataOption } from "../data/directory.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw data import`. */
export const dataImport: Command = {
  name: "data import",
  summary: "take in what fw data export wrote",
  details: [
    "Writes what is not there yet, and changes nothing that is there: what is equal is passed over, so that an import that was cut short is done again, and what is something else is named, with exit code 1. An export that is not whole, or has what the application does not declare, is refused before anything is written. No subscriber is told of objects that are imported.",
  ],
  arguments: [{ name: "from", summary: "a directory that fw data export made" }],
  options: { data: dataOption },
  examples: [{ line: "fw data import /tmp/notes --data /var/lib/notes", says: "into the data of another machine" }],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { runImport } = await import("../transfer/run.ts");
    const { text, isWhole } = await runImport(argument(args, "from"), options, io);
    io.out.write(text);
    return isWhole ? 0 : 1;
  },
};
