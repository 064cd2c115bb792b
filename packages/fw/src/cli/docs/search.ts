import { nearest } from "../../lib/suggest.ts";
import { pagesWithText } from "./pages.ts";
import { countOf, innerWordsOf, searchOf, wordsOf, type SearchableSection } from "./rank.ts";

/** A section of the documentation that contains the words of a search. */
export interface DocsMatch {
  /** A file below the documentation's directory, such as `entity.md`. */
  readonly path: string;
  readonly title: string;
  /** The heading of the section. At the start of a page, the page's title. */
  readonly section: string;
  /**
   * The line of the section that contains the most words of the search; if none contains any, the page's summary or the
   * heading.
   */
  readonly line: string;
}

export interface DocsResult {
  readonly matches: readonly DocsMatch[];
  /** Similar words that replace words that the documentation does not contain. */
  readonly corrections: ReadonlyMap<string, string>;
}

interface DocsSection extends SearchableSection {
  readonly path: string;
  readonly lines: readonly string[];
}

/** The maximum number of sections that a search returns. */
const mostMatches = 12;

/** Memoized, because the installed documentation does not change while a process runs. */
let searchSections: ReturnType<typeof searchOf<DocsSection>> | undefined;

/** Finds sections of the installed documentation, best matches first. */
export function searchDocs(search: string): DocsResult {
  searchSections ??= searchOf(docsSections(), nearest);
  const { sections, stems, corrections } = searchSections(search);
  return { matches: sections.slice(0, mostMatches).map((section) => matchOf(section, stems)), corrections };
}

function matchOf({ path, title, about, section, lines }: DocsSection, stems: readonly string[]): DocsMatch {
  const matched = (line: string): number => {
    const words = [...wordsOf(line), ...innerWordsOf(line)];
    return stems.filter((stem) => countOf(words, stem) > 0).length;
  };
  const heading = section || title;
  const best = lines.toSorted((a, b) => matched(b) - matched(a))[0];
  const line = best === undefined || matched(best) === 0 ? about || heading : best;
  return { path, title, section: heading, line: line.trim() };
}

/** Returns every section of the documentation. A page's summary belongs to its first section. */
function docsSections(): readonly DocsSection[] {
  return pagesWithText().flatMap(({ path, title, about, words = [], text }) =>
    sectionsOf(text.replace(/^# .*\n/, "")).map(({ heading, lines }, i) => ({
      path,
      title,
      section: heading,
      ...(i === 0 && { about, words }),
      text: lines.join("\n"),
      lines,
      isRule: path.startsWith("rules/"),
    })),
  );
}

/** Splits a page into its introduction and the part below each heading. */
function sectionsOf(text: string): readonly { readonly heading: string; readonly lines: readonly string[] }[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: "", lines: [] }];
  let inCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    const [, heading] = inCode ? [] : (/^#{2,3} (.+)$/.exec(line) ?? []);
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading, lines: [] });
  }
  return sections;
}
