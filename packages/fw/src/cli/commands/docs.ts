import { command, type Command, type ExitCode } from "../command.ts";
import type { DocsMatch } from "../docs/search.ts";
import type { IO } from "../io.ts";
import { printJSON, printList } from "../print/output.ts";

export const docs: Command = command({
  name: "docs",
  summary: "print a page of the documentation, search it, or list its pages",
  details: [
    "Prints a page, or the page of a rule, as Markdown from the documentation that is installed with fw; without a name, prints the list of pages. Several words, or a word that names no page, search: the results are sections that contain all of them, or most of them if no section does, the best first. With --json, the list has every command with its options, every page with its sections, and every rule.",
  ],
  arguments: [
    {
      name: "words",
      takes: "rest",
      summary: "a page such as entity, a rule such as route-conflict, or words to search for",
    },
  ],
  options: { json: { summary: "print JSON" } },
  examples: [
    { line: "fw docs", says: "list the pages" },
    { line: "fw docs entity", says: "print one page" },
    { line: "fw docs fw/route-conflict", says: "print a rule with examples" },
    { line: "fw docs signed upload", says: "find sections with both words" },
    { line: "fw docs --json", says: "list commands, pages and rules for a program" },
  ],
  async run(options, io, args) {
    const { contents, pageNamed } = await import("../docs/pages.ts");
    const [name, ...more] = args.words;
    const page = name === undefined || more.length > 0 ? undefined : pageNamed(name);
    if (name === undefined) io.out.write(contents(options.json));
    else if (page === undefined) return printMatches(args.words.join(" "), options.json, io);
    else if (options.json) printJSON(page, io);
    else io.out.write(page.text);
    return 0;
  },
});

/**
 * Prints the sections that contain all words. If there are none and the words look like a page's name, refuses with a
 * suggestion.
 */
async function printMatches(words: string, json: true | undefined, io: IO): Promise<ExitCode> {
  const { searchDocs } = await import("../docs/search.ts");
  const matches = searchDocs(words);
  if (matches.length === 0) {
    const { unknownPage } = await import("../docs/pages.ts");
    throw unknownPage(words);
  }
  return printList(matches, { json, text: (rows) => rows.map(matchText).join(""), none: "" }, io);
}

function matchText({ path, section, line }: DocsMatch): string {
  return `${path.replace(/\.md$/, "")}  ${section}\n    ${line}\n`;
}
