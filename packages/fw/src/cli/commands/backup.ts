import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { dataOption } from "../data/directory.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw backup`. */
export const backup: Command = {
  name: "backup",
  summary: "copy the data of an application, also while fw serve runs on it",
  details: [
    "Copies documents, accounts, messages and objects as they were at one moment to a directory that is not there yet. The server goes on meanwhile; nobody waits. The record of the backup is written last: a copy that was cut short is none. A backup holds what the data holds, password verifiers and keys among it, so keep it as closely.",
  ],
  arguments: [{ name: "to", summary: "the directory of the backup, which is made" }],
  options: { data: dataOption },
  examples: [
    { line: "fw backup /backups/notes-1", says: "the data of the application here" },
    { line: "fw backup /backups/$(date +%F) --data /var/lib/notes", says: "every night, from a timer" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { runBackup } = await import("../backup/run.ts");
    io.out.write(`${await runBackup(argument(args, "to"), options, io)}\n`);
    return 0;
  },
};
