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
    else {
      io.out.write(page.text);
      if (isRule(page) && !name.startsWith("fw/")) await printGuides(name, io);
    }
    return 0;
  },
});

/**
 * Prints the sections that match the words. Refuses, with a suggestion, if none match or if the words are a misspelled
 * page name.
 */
async function printMatches(words: string, json: true | undefined, io: IO): Promise<ExitCode> {
  const { searchDocs } = await import("../docs/search.ts");
  const { matches, corrections } = searchDocs(words);
  const { similarPage, unknownPage } = await import("../docs/pages.ts");
  if (matches.length === 0 || (corrections.has(words) && similarPage(words) !== undefined)) throw unknownPage(words);
  for (const [word, similar] of corrections) io.err.write(`no page contains "${word}"; these contain "${similar}"\n`);
  const read = `To read a page: fw docs ${nameOf(matches[0]?.path ?? "")}\n`;
  return printList(matches, { json, text: (rows) => `${rows.map(matchText).join("")}\n${read}`, none: "" }, io);
}

function isRule({ path }: Pick<DocsMatch, "path">): boolean {
  return path.startsWith("rules/");
}

/** Prints the names of up to three guides about a word that is also the name of a rule, such as `retries`. */
async function printGuides(word: string, io: IO): Promise<void> {
  const { searchDocs } = await import("../docs/search.ts");
  const guides = searchDocs(word).matches.filter((match) => !isRule(match));
  const names = new Set(guides.slice(0, 3).map(({ path }) => nameOf(path)));
  if (names.size > 0) io.err.write(`\nThis is a rule. Guides about ${word}: ${[...names].join(", ")}\n`);
}

function matchText({ path, section, line }: DocsMatch): string {
  return `${nameOf(path)}  ${section}\n    ${line}\n`;
}

/** Returns the name under which `fw docs` finds a page. */
function nameOf(path: string): string {
  return path.replace(/^rules\//, "fw/").replace(/\.md$/, "");
}
