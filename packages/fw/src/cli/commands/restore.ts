import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { dataOption } from "../data/directory.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw restore`. */
export const restore: Command = {
  name: "restore",
  summary: "put a backup in the place of the data",
  details: [
    "Copies the backup, looks at everything in the copy as fw check-data does, and only then has it take the data's place. A backup that is not whole, or is damaged, changes nothing. Where there is data already, --replace puts it aside; nothing is deleted. The server must be stopped first.",
  ],
  arguments: [{ name: "backup", summary: "a directory that fw backup made" }],
  options: {
    data: dataOption,
    replace: { summary: "also where there is data, which is kept beside it" },
  },
  examples: [
    { line: "fw restore /backups/notes-1 --data /var/lib/notes", says: "where there is no data" },
    { line: "fw restore /backups/notes-1 --replace", says: "instead of the data of the application here" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { runRestore } = await import("../backup/run.ts");
    io.out.write(`${await runRestore(argument(args, "backup"), options, io)}\n`);
    return 0;
  },
};
