import { command, type Command } from "../command.ts";
import { dataOption } from "../data/options.ts";

export const dataCommands: readonly Command[] = [
  command({
    name: "seed",
    summary: "run the seeds of the application",
    details: [
      "Runs a seed, or all of them, in the application's dev server. If none is running, fw starts one for this command.",
      "Seeds that ran before run again. fw seed refuses data that fw serve has used.",
    ],
    arguments: [{ name: "name", takes: "optional", summary: "the name of the seed (default all)" }],
    options: {},
    examples: [
      { line: "fw seed", says: "run all seeds" },
      { line: "fw seed demo", says: "run one seed" },
    ],
    async run(_options, io, args) {
      const { runSeed } = await import("../run/seed.ts");
      const names = await runSeed(args.name, io);
      if (names === undefined) {
        io.err.write(`a seed failed; read "fw logs" for the reason\n`);
        return 1;
      }
      io.out.write(`seeded the data: ${names.join(", ")}\n`);
      return 0;
    },
  }),
  command({
    name: "backup",
    summary: "back up the data of an application, even while fw serve runs on it",
    details: [
      "Copies documents, accounts, messages and objects, all as of one moment, to a new directory. fw serve keeps running, without a pause; stop a dev server first. fw writes the record of the backup last, so an interrupted copy does not count as a backup. A backup holds everything in the data, including password verifiers and keys: protect it equally.",
    ],
    arguments: [{ name: "to", summary: "the directory to create for the backup" }],
    options: { data: dataOption },
    examples: [
      { line: "fw backup /backups/notes-1", says: "back up the data of this application" },
      { line: "fw backup /backups/$(date +%F) --data /var/lib/notes", says: "back up every night, from a timer" },
    ],
    async run(options, io, args) {
      const { runBackup } = await import("../backup/run.ts");
      io.out.write(`${await runBackup(args.to, options, io)}\n`);
      return 0;
    },
  }),
  command({
    name: "restore",
    summary: "replace the data with a backup",
    details: [
      "Copies the backup, checks the copy as fw check-data does, and then replaces the data with it. An incomplete or damaged backup changes nothing. If there is data already, --replace moves it aside; fw deletes nothing. Stop the server first.",
    ],
    arguments: [{ name: "backup", summary: "a directory that fw backup created" }],
    options: {
      data: dataOption,
      replace: { summary: "replace existing data, and keep it in a directory next to the new data" },
    },
    examples: [
      { line: "fw restore /backups/notes-1 --data /var/lib/notes", says: "restore to a directory without data" },
      { line: "fw restore /backups/notes-1 --replace", says: "replace the data of this application" },
    ],
    async run(options, io, args) {
      const { runRestore } = await import("../backup/run.ts");
      io.out.write(`${await runRestore(args.backup, options, io)}\n`);
      return 0;
    },
  }),
  command({
    name: "data export",
    summary: "export documents, objects and accounts to files that other stores can read",
    details: [
      "Writes a directory with one line of JSON for each document, object and account, and a file with the bytes of each object: see docs/data.md. Sessions, undelivered messages and dead messages are not exported. No server may run on the data: to export a running application, restore a backup elsewhere and export that.",
    ],
    arguments: [{ name: "to", summary: "the directory to create for the export" }],
    options: { data: dataOption },
    examples: [{ line: "fw data export /tmp/notes --data /var/lib/notes", says: "export everything" }],
    async run(options, io, args) {
      const { runExport } = await import("../transfer/run.ts");
      io.out.write(await runExport(args.to, options, io));
      return 0;
    },
  }),
  command({
    name: "data import",
    summary: "import what fw data export wrote",
    details: [
      "Adds what is missing and changes nothing that exists. Equal records are skipped, so you can repeat an interrupted import. fw lists records that exist with different contents, and exits with 1. It rejects an incomplete export, or one with data that the application does not declare or cannot read, before it writes anything. Imported objects trigger no subscriber. fw lists references to documents that exist neither in the export nor in the data; if one of their fields has an onDelete rule, it exits with 1.",
    ],
    arguments: [{ name: "from", summary: "a directory that fw data export wrote" }],
    options: { data: dataOption },
    examples: [{ line: "fw data import /tmp/notes --data /var/lib/notes", says: "import the data on another machine" }],
    async run(options, io, args) {
      const { runImport } = await import("../transfer/run.ts");
      const { text, isWhole } = await runImport(args.from, options, io);
      io.out.write(text);
      return isWhole ? 0 : 1;
    },
  }),
  command({
    name: "data copy",
    summary: "copy all data to another store, most of it while the application runs",
    details: [
      "Copies documents, objects and accounts between a directory, a PostgreSQL database (postgres://user@host/name) and a Google Cloud project (google://project/env). The target must be empty at first. Each run makes the target equal to the source, so run it again after an interruption, and until little is left to copy. The source may be in use.",
      "At the end, stop the source and run it with --final: it copies the rest, with hashes of passwords where both stores have them, reads both stores, compares counts and hashes, and ends the copy. After that, fw refuses to copy to the target again. The exit code is 1 if the stores differ.",
      "The last run also moves waiting and dead messages between directories and databases. It refuses to leave messages behind in a copy from or to Google Cloud, unless --leave-messages is set. Sessions and leases are not copied. See docs/data.md.",
    ],
    arguments: [
      { name: "from", summary: "the store to copy: a directory, postgres://… or google://project/env" },
      { name: "to", summary: "the store to fill" },
    ],
    options: {
      final: { summary: "copy the rest of a source that has stopped, compare both stores, and end the copy" },
      "leave-messages": { summary: "with --final: leave waiting and dead messages in the source" },
      "from-objects": { value: "<place>", summary: "where objects of a source in PostgreSQL are (default FW_OBJECTS)" },
      "to-objects": { value: "<place>", summary: "where objects of a target in PostgreSQL go (default FW_OBJECTS)" },
    },
    examples: [
      { line: "fw data copy /var/lib/notes postgres://fw@db/notes", says: "copy while fw serve runs" },
      {
        line: "fw data copy /var/lib/notes postgres://fw@db/notes --final",
        says: "copy the rest after it has stopped",
      },
    ],
    async run(options, io, args) {
      const { runCopy } = await import("../transfer/copy.ts");
      const { text, isWhole } = await runCopy(args, options, io);
      io.out.write(text);
      return isWhole ? 0 : 1;
    },
  }),
  command({
    name: "data branches",
    summary: "list the data of git branches on this machine",
    details: [
      "Prints the branch, the directory and its size. The data of the main branch is in .fw/data and is not listed.",
      "--prune also deletes data of commits that are no longer checked out. fw deletes nothing by itself.",
    ],
    options: { prune: { summary: "delete the data of branches that no longer exist" } },
    examples: [
      { line: "fw data branches", says: "list the data of branches" },
      { line: "fw data branches --prune", says: "delete the data of branches that no longer exist" },
    ],
    async run(options, io) {
      const { runBranches } = await import("../data/branches.ts");
      io.out.write(await runBranches(options, io));
      return 0;
    },
  }),
];
