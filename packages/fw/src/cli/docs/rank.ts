/** A section of a page in the search index. */
export interface SearchableSection {
  readonly title: string;
  /** The heading of the section; "" at the start of a page. */
  readonly section: string;
  /** The page's summary, and search phrases that its text does not contain. Only set at the start of a page. */
  readonly about?: string;
  readonly words?: readonly string[];
  readonly text: string;
  readonly isRule: boolean;
}

export interface SearchResult<Section> {
  /** The matches, best first. */
  readonly sections: readonly Section[];
  readonly stems: readonly string[];
  /** Similar words that replace words that no section contains. */
  readonly corrections: ReadonlyMap<string, string>;
}

/** Returns the candidate that a mistyped word most likely means. */
type Nearest = (word: string, candidates: Iterable<string>) => string | undefined;

/** For each word, the indexes of the sections that contain it, once per occurrence. */
type Occurrences = ReadonlyMap<string, readonly number[]>;

interface SearchIndex<Section> {
  readonly sections: readonly Section[];
  readonly titles: Occurrences;
  readonly headings: Occurrences;
  readonly texts: Occurrences;
  /** Words inside camelCase names. */
  readonly names: Occurrences;
  readonly phrases: readonly (readonly (readonly string[])[])[];
  /** The number of words in each section, relative to the average. */
  readonly lengths: readonly number[];
}

/** The number of times that a word occurs in a section, by location. */
interface WordCount {
  /** 1 if a search phrase of the page contains the word together with other words of the search. */
  readonly phrase: number;
  readonly title: number;
  readonly heading: number;
  readonly text: number;
}

/** The weights of a word in a search phrase, a page's title and a section's heading, relative to one in the text. */
const phraseWeight = 4;
const titleWeight = 1.5;
const headingWeight = 2;

/** The weight of rule pages, which users mostly find by the ids in diagnostics. */
const ruleWeight = 0.6;

/** Words in at most this many sections also match inside camelCase names. */
const fewSections = 5;

/** The maximum number of sections of one page in a result. */
const mostOfPage = 3;

/** Shorter words match only themselves and their plural: `ci` does not find `cipher`. */
const prefixLength = 3;

/** The minimum length of a stem, and of a word that can be corrected. */
const stemLength = 4;

/** Stop words, which a search ignores unless it has no others. */
const fillers: ReadonlySet<string> = new Set(
  "a an and at by can do does for from how i in into is it my of on or the to use using what with".split(" "),
);

/**
 * Returns a search for the sections with the most search words, best matches first. A word also matches as a prefix of
 * a longer one. Browsers load this module, so it imports nothing.
 */
export function searchOf<Section extends SearchableSection>(
  sections: readonly Section[],
  nearest: Nearest,
): (search: string) => SearchResult<Section> {
  const index = indexOf(sections);
  return (search) => {
    const { stems, corrections } = correctedStems(index, subjectsOf(search), nearest);
    if (stems.length === 0) return { sections: [], stems, corrections };
    const counts = countsIn(index, stems);
    const scores = scoresOf(index, counts);
    const most = Math.max(1, ...counts.map((each) => each.filter(hasWord).length));
    const matches = sections
      .flatMap((section, i) => (counts[i]?.filter(hasWord).length === most ? [{ section, score: scores[i] ?? 0 }] : []))
      .toSorted((a, b) => b.score - a.score);
    return { sections: fewOfEachPage(matches.map(({ section }) => section)), stems, corrections };
  };
}

function indexOf<Section extends SearchableSection>(sections: readonly Section[]): SearchIndex<Section> {
  const texts = sections.map(({ text }) => wordsOf(text));
  const average = texts.flat().length / sections.length;
  return {
    sections,
    titles: occurrencesOf(sections.map(({ title }) => wordsOf(title))),
    headings: occurrencesOf(sections.map(({ title, section, about = "" }) => wordsOf(`${section || title} ${about}`))),
    texts: occurrencesOf(texts),
    names: occurrencesOf(sections.map(({ text }) => innerWordsOf(text))),
    phrases: sections.map(({ words = [] }) => words.map((phrase) => subjectsOf(phrase).map(stemOf))),
    lengths: texts.map(({ length }) => length / average),
  };
}

function occurrencesOf(sections: readonly (readonly string[])[]): Occurrences {
  const occurrences = new Map<string, number[]>();
  for (const [i, words] of sections.entries())
    for (const word of words) {
      const own = occurrences.get(word);
      if (own === undefined) occurrences.set(word, [i]);
      else own.push(i);
    }
  return occurrences;
}

/** Replaces words that no section contains with similar ones from titles, headings or search phrases. */
function correctedStems(
  index: SearchIndex<SearchableSection>,
  words: readonly string[],
  nearest: Nearest,
): { readonly stems: readonly string[]; readonly corrections: ReadonlyMap<string, string> } {
  const corrections = new Map<string, string>();
  const stems = words.map((word) => {
    const stem = stemOf(word);
    const similar = isKnown(index, stem) || word.length < stemLength ? undefined : nearest(word, subjectWords(index));
    if (similar === undefined) return stem;
    corrections.set(word, similar);
    return stemOf(similar);
  });
  return { stems, corrections };
}

function isKnown({ titles, headings, texts, names, phrases }: SearchIndex<SearchableSection>, stem: string): boolean {
  return (
    phrases.some((each) => each.some((phrase) => phrase.includes(stem))) ||
    [titles, headings, texts, names].some((place) => countOf([...place.keys()], stem) > 0)
  );
}

function subjectWords({ sections, titles, headings }: SearchIndex<SearchableSection>): ReadonlySet<string> {
  const phrases = sections.flatMap(({ words = [] }) => wordsOf(words.join(" ")));
  return new Set([...titles.keys(), ...headings.keys(), ...phrases]);
}

/** Counts each word in each section. A word that few sections contain also counts inside camelCase names. */
function countsIn(index: SearchIndex<SearchableSection>, stems: readonly string[]): readonly (readonly WordCount[])[] {
  const phrases = index.phrases.map((each) => new Set(each.filter((phrase) => isPart(phrase, stems)).flat()));
  const byStem = stems.map((stem) => {
    const [titles, headings, texts, names] = [index.titles, index.headings, index.texts, index.names].map((place) =>
      countsOf(place, stem, index.sections.length),
    );
    const counts = index.sections.map((_section, i) => ({
      phrase: phrases[i]?.has(stem) ? 1 : 0,
      title: titles?.[i] ?? 0,
      heading: headings?.[i] ?? 0,
      text: texts?.[i] ?? 0,
    }));
    if (counts.filter(hasWord).length > fewSections) return counts;
    return counts.map((count, i) => ({ ...count, text: count.text + (names?.[i] ?? 0) }));
  });
  return index.sections.map((_section, i) => byStem.flatMap((counts) => counts[i] ?? []));
}

function countsOf(occurrences: Occurrences, stem: string, size: number): readonly number[] {
  const counts = Array.from({ length: size }, () => 0);
  for (const [word, sections] of occurrences)
    if (isMatch(word, stem)) for (const i of sections) counts[i] = (counts[i] ?? 0) + 1;
  return counts;
}

function isPart(phrase: readonly string[], stems: readonly string[]): boolean {
  return phrase.every((stem) => stems.includes(stem));
}

export function countOf(words: readonly string[], stem: string): number {
  return words.filter((word) => isMatch(word, stem)).length;
}

function isMatch(word: string, stem: string): boolean {
  return stem.length < prefixLength ? word === stem || word === `${stem}s` : word.startsWith(stem);
}

/** Scores sections by where words occur, how often, and how rare they are, similar to BM25. */
function scoresOf(
  { sections, lengths }: SearchIndex<SearchableSection>,
  counts: readonly (readonly WordCount[])[],
): readonly number[] {
  const rarities = (counts[0] ?? []).map((_count, i) => {
    const matching = counts.filter((each) => hasWord(each[i])).length;
    return Math.log(1 + sections.length / (1 + matching));
  });
  return sections.map(({ isRule }, i) => {
    const scores = (counts[i] ?? []).map(({ phrase, title, heading, text }, word) => {
      const density = text / (text + 0.5 + (lengths[i] ?? 1));
      const weight =
        phrase * phraseWeight + (title > 0 ? titleWeight : 0) + (heading > 0 ? headingWeight : 0) + density;
      return (rarities[word] ?? 0) * weight;
    });
    return (isRule ? ruleWeight : 1) * scores.reduce((sum, score) => sum + score, 0);
  });
}

function hasWord(count: WordCount | undefined): boolean {
  return count !== undefined && count.phrase + count.title + count.heading + count.text > 0;
}

function fewOfEachPage<Section extends SearchableSection>(sections: readonly Section[]): readonly Section[] {
  const numbers = new Map<string, number>();
  return sections.filter(({ title }) => {
    const number = (numbers.get(title) ?? 0) + 1;
    numbers.set(title, number);
    return number <= mostOfPage;
  });
}

/** Returns the words of a search without stop words, or all if it has no others. */
function subjectsOf(search: string): readonly string[] {
  const words = wordsOf(search);
  const subjects = words.filter((word) => !fillers.has(word));
  return subjects.length > 0 ? subjects : words;
}

/** Returns the stem of a word: `retries` finds `retry`, `files` finds `file`, and `limiting` finds `limit`. */
function stemOf(word: string): string {
  const stem = word.replace(/([bdgmnprt])\1ings?$/, "$1").replace(/(?:ies|ings?|es|[sey])$/, "");
  return stem.length < stemLength ? word.replace(/(?<=..)s$/, "") : stem;
}

export function wordsOf(text: string): readonly string[] {
  return namesIn(text).map((name) => name.toLowerCase());
}

function namesIn(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Returns the words of camelCase names except the first, so that `concurrency` finds `maxConcurrency`. */
export function innerWordsOf(text: string): readonly string[] {
  return namesIn(text).flatMap((name) =>
    name
      .split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u)
      .slice(1)
      .map((word) => word.toLowerCase()),
  );
}
