import { command, type Command } from "../command.ts";
import { printJSON } from "../print/output.ts";

/** `fw docs`. */
export const docs: Command = command({
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
  async run(options, io, args) {
    const { contents, pageNamed } = await import("../docs/pages.ts");
    const page = args.page === undefined ? undefined : pageNamed(args.page);
    if (page === undefined) io.out.write(contents(options.json));
    else if (options.json) printJSON(page, io);
    else io.out.write(page.text);
    return 0;
  },
});
