import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { optionalArgument } from "../parse.ts";

/** `fw docs`. */
export const docs: Command = {
  name: "docs",
  summary: "print a page of the documentation, or the list of pages",
  details: [
    "Prints a page or the page of a rule as markdown, from the documentation that is installed with fw, and without a name the list of all. With --json the list has every command with its options, every page with its sections, and every rule.",
  ],
  arguments: [{ name: "page", takes: "optional", summary: "a page such as entity, or a rule such as route-conflict" }],
  options: { json: { summary: "print JSON" } },
  examples: [
    { line: "fw docs", says: "what there is" },
    { line: "fw docs entity", says: "one page" },
    { line: "fw docs fw/route-conflict", says: "what a rule says, with examples" },
    { line: "fw docs --json", says: "commands, pages and rules for a program" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { contents, pageNamed } = await import("../docs/pages.ts");
    const name = optionalArgument(args, "page");
    const json = options.json === true;
    if (name === undefined) io.out.write(contents(json));
    else {
      const page = pageNamed(name);
      io.out.write(json ? `${JSON.stringify(page, undefined, 2)}\n` : page.text);
    }
    return 0;
  },
};
