import { pagesWithText } from "./pages.ts";

/** A section of the documentation that contains the words of a search. */
export interface DocsMatch {
  /** A file below the documentation's directory, such as `entity.md`. */
  readonly path: string;
  readonly title: string;
  /** The heading of the section; for the beginning of a page, its title. */
  readonly section: string;
  /** The line of the section with most of the words. */
  readonly line: string;
}

interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

interface IndexedSection extends Section {
  readonly path: string;
  readonly title: string;
  readonly inTitle: readonly string[];
  readonly inHeading: readonly string[];
  readonly inText: readonly string[];
  /** The words inside its camelCase names. */
  readonly inNames: readonly string[];
}

/** How often a section has a word, by place. */
interface WordCount {
  readonly title: number;
  readonly heading: number;
  readonly text: number;
}

/** The maximum number of sections that a search returns. */
const mostMatches = 20;

/** The weights of a word in the title of a page and in the heading of a section, relative to one in the text. */
const titleWeight = 1.5;
const headingWeight = 2;

/** The weight of pages of rules, whose ids are in the messages of problems. */
const ruleWeight = 0.6;

/** A word in at most this many sections is also looked for inside of camelCase names. */
const fewSections = 5;

/** Words without a subject; a search ignores them unless it has no other. */
const fillers: ReadonlySet<string> = new Set(
  "a an and at by can do for from how i in is it my of on or the to what with".split(" "),
);

/**
 * Finds sections that contain every word, best matches first; if there is none, those that contain most of the words. A
 * word also matches the beginning of a longer one.
 */
export function searchDocs(search: string): readonly DocsMatch[] {
  const stems = stemsOf(search);
  const sections = stems.length === 0 ? [] : indexedSections();
  const counts = countsIn(sections, stems);
  const most = Math.max(1, ...counts.map((each) => each.filter(hasWord).length));
  const scores = scoresOf(sections, counts);
  return sections
    .flatMap((section, i) => (counts[i]?.filter(hasWord).length === most ? [{ section, score: scores[i] ?? 0 }] : []))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostMatches)
    .map(({ section }) => matchOf(section, stems));
}

/** Counts each word in each section. A word that few sections contain also counts inside of camelCase names. */
function countsIn(sections: readonly IndexedSection[], stems: readonly string[]): readonly (readonly WordCount[])[] {
  const byStem = stems.map((stem) => {
    const counts = sections.map((section) => countIn(section, stem));
    if (counts.filter(hasWord).length > fewSections) return counts;
    return counts.map((count, i) => ({ ...count, text: count.text + countOf(sections[i]?.inNames ?? [], stem) }));
  });
  return sections.map((_section, i) => byStem.flatMap((counts) => counts[i] ?? []));
}

/** The stems of a search's words: `retries` finds `retry`, and `files` finds `file`. */
function stemsOf(search: string): readonly string[] {
  const words = wordsOf(search);
  const subjects = words.filter((word) => !fillers.has(word));
  return (subjects.length > 0 ? subjects : words).map((word) =>
    word.length > 3 ? word.replace(/(?:ies|[sy])$/, "") : word,
  );
}

/** Ranks by where words stand, how often, and how rare they are, as search engines do (BM25). */
function scoresOf(sections: readonly IndexedSection[], counts: readonly (readonly WordCount[])[]): readonly number[] {
  const averageLength = sections.reduce((sum, { inText }) => sum + inText.length, 0) / sections.length;
  const rarities = (counts[0] ?? []).map((_count, i) => {
    const matching = counts.filter((each) => hasWord(each[i])).length;
    return Math.log(1 + sections.length / (1 + matching));
  });
  return sections.map(({ path, inText }, i) => {
    const scores = (counts[i] ?? []).map(({ title, heading, text }, word) => {
      const density = text / (text + 0.5 + inText.length / averageLength);
      return (rarities[word] ?? 0) * ((title > 0 ? titleWeight : 0) + (heading > 0 ? headingWeight : 0) + density);
    });
    return (path.startsWith("rules/") ? ruleWeight : 1) * scores.reduce((sum, score) => sum + score, 0);
  });
}

function hasWord(count: WordCount | undefined): boolean {
  return count !== undefined && count.title + count.heading + count.text > 0;
}

function countIn({ inTitle, inHeading, inText }: IndexedSection, stem: string): WordCount {
  return { title: countOf(inTitle, stem), heading: countOf(inHeading, stem), text: countOf(inText, stem) };
}

function countOf(words: readonly string[], stem: string): number {
  return words.filter((word) => word.startsWith(stem)).length;
}

function matchOf({ path, title, heading, lines }: IndexedSection, stems: readonly string[]): DocsMatch {
  const matched = (line: string): number => {
    const words = [...wordsOf(line), ...innerWordsOf(line)];
    return stems.filter((stem) => countOf(words, stem) > 0).length;
  };
  const best = lines.toSorted((a, b) => matched(b) - matched(a))[0];
  const line = best === undefined || matched(best) === 0 ? heading : best;
  return { path, title, section: heading, line: line.trim() };
}

/** Every section of the documentation. The summary of a page counts as part of its first heading. */
function indexedSections(): readonly IndexedSection[] {
  return pagesWithText().flatMap(({ path, title, about, text }) =>
    sectionsOf(text, title).map((section, i) => ({
      ...section,
      path,
      title,
      inTitle: wordsOf(title),
      inHeading: wordsOf(i === 0 ? `${section.heading} ${about}` : section.heading),
      inText: wordsOf(section.lines.join("\n")),
      inNames: innerWordsOf(section.lines.join("\n")),
    })),
  );
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
  return namesIn(text).map((name) => name.toLowerCase());
}

function namesIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** The words inside camelCase names after their first, so that `concurrency` finds `maxConcurrency`. */
function innerWordsOf(text: string): readonly string[] {
  return namesIn(text).flatMap((name) =>
    name
      .split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u)
      .slice(1)
      .map((word) => word.toLowerCase()),
  );
}
