import { pagesWithText, type Page } from "./pages.ts";

/** A section of the documentation that contains the words of a search. */
export interface DocsMatch extends Page {
  /** The heading of the section; for the beginning of a page, its title. */
  readonly section: string;
  /** The first line of the section with one of the words. */
  readonly line: string;
}

interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** The maximum number of sections that a search returns. */
const mostMatches = 20;

/** The weight of a word in a title or heading, relative to one in the text. */
const titleWeight = 20;
const headingWeight = 8;

/** Finds sections that contain every word, best matches first. A word also matches the beginning of a longer one. */
export function searchDocs(search: string): readonly DocsMatch[] {
  const words = wordsOf(search);
  if (words.length === 0) return [];
  const ranked = pagesWithText().flatMap(({ path, title, text }) =>
    sectionsOf(text, title).flatMap((section) => {
      const score = scoreOf(section, title, words);
      if (score === 0) return [];
      return [{ score, match: { path, title, section: section.heading, line: firstLine(section, words) } }];
    }),
  );
  const best = ranked.toSorted((a, b) => b.score - a.score).slice(0, mostMatches);
  return best.map(({ match }) => match);
}

/** Returns 0 unless the section, including its title and heading, contains every word. */
function scoreOf({ heading, lines }: Section, title: string, words: readonly string[]): number {
  const [inTitle, inHeading, inText] = [title, heading, lines.join("\n")].map(wordsOf) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ];
  let score = 0;
  for (const word of words) {
    const found = titleWeight * count(inTitle, word) + headingWeight * count(inHeading, word) + count(inText, word);
    if (found === 0) return 0;
    score += Math.min(found, 2 * titleWeight);
  }
  return score;
}

function count(words: readonly string[], start: string): number {
  return words.filter((word) => word.startsWith(start)).length;
}

function firstLine({ lines, heading }: Section, words: readonly string[]): string {
  const line = lines.find((each) => wordsOf(each).some((word) => words.some((start) => word.startsWith(start))));
  return (line ?? heading).trim();
}

/** Splits a page into its beginning and the part below each heading. */
function sectionsOf(text: string, title: string): readonly Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: title, lines: [] }];
  let inCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) inCode = !inCode;
    const [, heading] = inCode ? [] : (/^#{2,3} (.+)$/.exec(line) ?? []);
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading, lines: [] });
  }
  return sections;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
