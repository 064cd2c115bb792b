import { command, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import { printJSON } from "../print/output.ts";

export const checkData: Command = command({
  name: "check-data",
  summary: "check data for corruption, and against the types of the application",
  details: [
    "Checks the structure of the store, every document, message and account, every index against its documents, every object against its file, byte for byte, and documents and waiting messages against the types of the application. Changes nothing. Prints a line for each problem, then how much data there is. Stop the server first.",
    "With --project, and for data in a database, which it reads through the running fw serve, it compares documents and waiting messages with their types. It reads each document once, which Google Cloud bills.",
  ],
  options: {
    json: { summary: "print JSON" },
    ...placeOptions,
    data: {
      value: "<dir>",
      summary: "the data directory of a built service (its FW_DATA) instead of the application's",
    },
  },
  examples: [
    { line: "fw check-data", says: "check the data of this application" },
    { line: "fw check-data --data /var/lib/notes", says: "check the data of a built service" },
    { line: "fw check-data --project acme-1", says: "check the documents of a deployed application" },
  ],
  async run(options, io) {
    const { runDataCheck } = await import("../data/check.ts");
    const { report, lines } = await runDataCheck(options, io);
    if (options.json) printJSON(report, io);
    else io.out.write(lines.map((line) => `${line}\n`).join(""));
    return report.problems.length === 0 ? 0 : 1;
  },
});
