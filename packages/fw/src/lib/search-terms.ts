import type { TermRule } from "./derived-indexes.ts";
import { distinct } from "./grouped.ts";

/** Limit: characters of a word that a search compares; the rest of a longer word is ignored. */
const wordCharacters = 24;

/** Characters of scripts that do not separate words with spaces. A run of them counts as one word. */
const unspaced = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";

/** A character of a script without spaces, with its marks. */
const character = `(?=\\p{L})[${unspaced}]\\p{M}*`;
const characters = new RegExp(character, "gu");

const word = new RegExp(`(?:${character})+|(?:(?!(?=\\p{L})[${unspaced}])[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** A letter or digit, which distinguishes a word from mere marks. */
const hasLetter = /[\p{L}\p{N}]/u;

/** Invisible characters inside words: soft hyphens, joiners, direction marks and emoji variations. */
const invisible = /(?![\u200b\u200c])\p{Default_Ignorable_Code_Point}/gu;

/**
 * Marks beyond the first 30 on a character. They are ignored, because normalization sorts marks in quadratic time. It
 * also turns two half-width letters into marks. Unicode's stream-safe format has the same limit.
 */
const excessMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Accents of Latin, Greek and Cyrillic letters, vowel points of Hebrew and Arabic, and enclosing marks. */
const accents = /[\p{Me}\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/gu;

/** Letters that differ from their base letters by more than an accent. */
const letters: Readonly<Record<string, string>> = { ς: "σ", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th" };

/** The end of the term of a whole word, which distinguishes it from a prefix. */
const end = ".";

/**
 * Returns the words of a text without case and accents. A word is a run of letters, digits and marks. In a script
 * without spaces, everything up to the next space or other character is one word.
 */
export function wordsOf(text: string): string[] {
  const sortable = text.replace(invisible, "").replace(excessMarks, "$1");
  const plain = sortable.normalize("NFKD").replace(accents, "").toUpperCase().toLowerCase();
  const folded = plain.replace(/[ςæœøđðłþ]/g, (letter) => letters[letter] ?? letter).normalize("NFC");
  const matches = Array.from(folded.matchAll(word), ([match]) => match).filter((match) => hasLetter.test(match));
  return matches.map((match) => (isUnspaced(match) ? match : Array.from(match).slice(0, wordCharacters).join("")));
}

/**
 * Returns the index terms of a text: each word and each prefix of a word. For scripts without spaces, returns each
 * character and, since `rule` 2, each pair of characters.
 */
export function indexedTerms(text: string, rule: TermRule = 2): string[] {
  const terms = distinct(wordsOf(text), (each) => each).flatMap((each) => {
    if (!isUnspaced(each)) return [...beginningsOf(each), each + end];
    const single = charactersOf(each);
    return rule === 1 ? single.flatMap((one) => [one, one + end]) : [...single, ...pairsOf(single)];
  });
  return distinct(terms, (each) => each);
}

/**
 * Returns the terms that a matching text must have: the words, of which the last may be incomplete, and pairs of
 * characters in scripts without spaces.
 */
export function searchedTerms(words: readonly string[]): string[] {
  const terms = words.flatMap((each, index) => {
    if (!isUnspaced(each)) return index === words.length - 1 ? [each] : [each + end];
    const single = charactersOf(each);
    return single.length === 1 ? single : pairsOf(single);
  });
  return distinct(terms, (each) => each);
}

function isUnspaced(each: string): boolean {
  return each.search(characters) === 0;
}

function charactersOf(each: string): string[] {
  return Array.from(each.matchAll(characters), ([match]) => match);
}

function pairsOf(single: readonly string[]): string[] {
  return single.slice(1).map((next, index) => `${single[index]}${next}`);
}

function beginningsOf(each: string): string[] {
  const single = Array.from(each);
  return single.map((_, index) => single.slice(0, index + 1).join(""));
}
