import { appRoot } from "../app-root.ts";
import type { Command, ExitCode, OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** `fw check-data`. */
export const checkData: Command = {
  name: "check-data",
  summary: "look at everything in the local data for damage",
  details: [
    "Looks at the store's own structure, at every document, message and account, compares indexes with documents and objects with their files, byte for byte, and changes nothing. A line for each problem, then what there is. The server must be stopped first.",
  ],
  options: {
    json: { summary: "print JSON" },
    data: { value: "<dir>", summary: "the directory of a built service (its FW_DATA) instead of .fw/data" },
  },
  examples: [
    { line: "fw check-data", says: "the data of the application here" },
    { line: "fw check-data --data /var/lib/notes", says: "those of a built service" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { lookAtData } = await import("../data/check.ts");
    const { found, lines } = await lookAtData(textOption(options, "data"), () => appRoot(io.cwd), io.cwd);
    io.out.write(options.json ? `${JSON.stringify(found, undefined, 2)}\n` : lines.map((line) => `${line}\n`).join(""));
    return found.problems.length === 0 ? 0 : 1;
  },
};
