import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ownDirectory } from "../../lib/own-modules.ts";
import { nearest } from "../../lib/suggest.ts";
import { Refusal } from "../command.ts";

export interface Page {
  readonly path: string;
  readonly title: string;
  /** A summary on one line; "" for a rule. */
  readonly about: string;
  /** Search phrases for the page that its text does not contain. */
  readonly words?: readonly string[];
}

/** The documentation's directory in a built fw. */
const directory = join(ownDirectory, "../dist/docs");

/** Returns the list of pages: `llms.txt` for people, `reference.json` for programs. */
export function contents(json: true | undefined): string {
  return read(json ? "reference.json" : "llms.txt");
}

/** Finds a page by file name, or a rule by id, with or without `fw/` and `.md`; undefined if there is none. */
export function pageNamed(name: string): (Page & { readonly text: string }) | undefined {
  const stem = name.replace(/^fw\//, "").replace(/\.md$/, "");
  const page = allPages().find((each) => nameOf(each) === stem);
  return page && { path: page.path, title: page.title, about: page.about, text: read(page.path) };
}

/** Returns the refusal of words that name no page. Suggests a page with a similar name, or else what to do instead. */
export function unknownPage(words: string): Refusal {
  const similar = similarPage(words);
  return new Refusal(
    similar === undefined
      ? `no page contains "${words}"; try other words, or run "fw docs" for the list of pages`
      : `there is no page "${words}"; did you mean "fw docs ${similar}"?`,
  );
}

export function similarPage(name: string): string | undefined {
  return nearest(name, allPages().map(nameOf));
}

/** Returns every page and rule page with its text. */
export function pagesWithText(): readonly (Page & { readonly text: string })[] {
  return allPages().map((page) => ({ ...page, text: read(page.path) }));
}

function allPages(): readonly Page[] {
  const { pages, rules } = JSON.parse(contents(true)) as {
    readonly pages: readonly Page[];
    readonly rules: readonly Page[];
  };
  return [...pages, ...rules];
}

function nameOf({ path }: Page): string {
  return path.replace(/^rules\//, "").replace(/\.md$/, "");
}

function read(file: string): string {
  return readFileSync(join(directory, file), "utf8");
}
