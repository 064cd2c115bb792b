import { command, type Command } from "../command.ts";
import { printJSON } from "../print/output.ts";

/** `fw check-data`. */
export const checkData: Command = command({
  name: "check-data",
  summary: "look at everything in the local data for damage",
  details: [
    "Looks at the store's own structure, at every document, message and account, compares indexes with documents and objects with their files, byte for byte, and documents and waiting messages with the types of the application, and changes nothing. A line for each problem, then what there is. The server must be stopped first.",
  ],
  options: {
    json: { summary: "print JSON" },
    data: { value: "<dir>", summary: "the directory of a built service (its FW_DATA) instead of .fw/data" },
  },
  examples: [
    { line: "fw check-data", says: "the data of the application here" },
    { line: "fw check-data --data /var/lib/notes", says: "those of a built service" },
  ],
  async run(options, io) {
    const { lookAtData } = await import("../data/check.ts");
    const { found, lines } = await lookAtData(options, io);
    if (options.json) printJSON(found, io);
    else io.out.write(lines.map((line) => `${line}\n`).join(""));
    return found.problems.length === 0 ? 0 : 1;
  },
});
