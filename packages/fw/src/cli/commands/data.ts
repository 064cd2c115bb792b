import { command, type Command } from "../command.ts";
import { dataOption } from "../data/options.ts";

export const dataCommands: readonly Command[] = [
  command({
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
    async run(options, io, args) {
      const { runBackup } = await import("../backup/run.ts");
      io.out.write(`${await runBackup(args.to, options, io)}\n`);
      return 0;
    },
  }),
  command({
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
    async run(options, io, args) {
      const { runRestore } = await import("../backup/run.ts");
      io.out.write(`${await runRestore(args.backup, options, io)}\n`);
      return 0;
    },
  }),
  command({
    name: "data export",
    summary: "write documents, objects and accounts to files that other stores read",
    details: [
      "Writes a directory with a line of JSON for each document, object and account, and a file for the bytes of each object: see docs/data.md. Sessions, messages on their way and dead letters stay. No server may work on the data meanwhile: restore a backup elsewhere and export that.",
    ],
    arguments: [{ name: "to", summary: "the directory of the export, which is made" }],
    options: { data: dataOption },
    examples: [
      { line: "fw data export /tmp/notes --data /var/lib/notes", says: "everything that is to be taken along" },
    ],
    async run(options, io, args) {
      const { runExport } = await import("../transfer/run.ts");
      io.out.write(await runExport(args.to, options, io));
      return 0;
    },
  }),
  command({
    name: "data import",
    summary: "take in what fw data export wrote",
    details: [
      "Writes what is not there yet, and changes nothing that is there: what is equal is passed over, so that an import that was cut short is done again, and what is something else is named, with exit code 1. An export that is not whole, or has what the application does not declare, is refused before anything is written. No subscriber is told of objects that are imported.",
    ],
    arguments: [{ name: "from", summary: "a directory that fw data export made" }],
    options: { data: dataOption },
    examples: [{ line: "fw data import /tmp/notes --data /var/lib/notes", says: "into the data of another machine" }],
    async run(options, io, args) {
      const { runImport } = await import("../transfer/run.ts");
      const { text, isWhole } = await runImport(args.from, options, io);
      io.out.write(text);
      return isWhole ? 0 : 1;
    },
  }),
];
