import { clientPath } from "../../generate/client/client.ts";
import type { Command, ExitCode, OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** `fw gen client ts`. */
export const genClientTs: Command = {
  name: "gen client ts",
  summary: "write a typed client of the application's APIs, in TypeScript",
  details: [
    "One file that imports nothing, with a typed method for each API that a browser can call. What it leaves out is at its head. The same source gives the same file. See docs/client.md.",
    "fw dev keeps the file current where it exists at its own place; elsewhere --watch does.",
    "The exit code is 1 where no client can be made of the application: every reason is a line, as of fw check.",
  ],
  options: {
    out: { value: "<path>", summary: `the file to write, ${clientPath} of the application by default` },
    watch: { short: "w", summary: "write it again whenever a file changes, until Ctrl-C" },
  },
  examples: [
    { line: "fw gen client ts", says: `to ${clientPath}` },
    { line: "fw gen client ts --out web/src/api.ts --watch", says: "beside the code that uses it" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { writeClient } = await import("../gen/client.ts");
    return writeClient({ out: textOption(options, "out"), watch: options.watch === true }, io);
  },
};
