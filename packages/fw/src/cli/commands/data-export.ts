import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { dataOption } from "../data/directory.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw data export`. */
export const dataExport: Command = {
  name: "data export",
  summary: "write documents, objects and accounts to files that other stores read",
  details: [
    "Writes a directory with a line of JSON for each document, object and account, and a file for the bytes of each object: see docs/data.md. Sessions, messages on their way and dead letters stay. No server may work on the data meanwhile: restore a backup elsewhere and export that.",
  ],
  arguments: [{ name: "to", summary: "the directory of the export, which is made" }],
  options: { data: dataOption },
  examples: [{ line: "fw data export /tmp/notes --data /var/lib/notes", says: "everything that is to be taken along" }],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { runExport } = await import("../transfer/run.ts");
    io.out.write(await runExport(argument(args, "to"), options, io));
    return 0;
  },
};
