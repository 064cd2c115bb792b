import type { Command, ExitCode, OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** `fw gen openapi`. */
export const genOpenapi: Command = {
  name: "gen openapi",
  summary: "print the application's APIs as an OpenAPI document",
  details: [
    "OpenAPI 3.1, as JSON: paths, parameters, bodies and answers with their types and doc comments, who gets in, what is refused and how large a body may be. APIs that are private are left out. The same source gives the same document. See docs/client.md.",
  ],
  options: { out: { value: "<path>", summary: "write it to this file instead" } },
  examples: [
    { line: "fw gen openapi", says: "to standard output" },
    { line: "fw gen openapi --out openapi.json", says: "for a generator of clients" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { writeOpenApi } = await import("../gen/openapi.ts");
    return writeOpenApi(textOption(options, "out"), io);
  },
};
