import type { TermRule } from "./derived-indexes.ts";
import { distinct } from "./grouped.ts";

/** Limit: characters of a word that a search compares; the rest of a longer word is ignored. */
const wordCharacters = 24;

/** Characters of scripts that put no spaces between words; a run of them is a word. */
const unspaced = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";

/** A character of such a script with its marks. */
const character = `(?=\\p{L})[${unspaced}]\\p{M}*`;
const characters = new RegExp(character, "gu");

const word = new RegExp(`(?:${character})+|(?:(?!(?=\\p{L})[${unspaced}])[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** Marks alone are not a word. */
const hasLetter = /[\p{L}\p{N}]/u;

/** Invisible characters inside of words: soft hyphens, joiners, directions of writing, and forms of emoji. */
const invisible = /(?![\u200b\u200c])\p{Default_Ignorable_Code_Point}/gu;

/**
 * Marks after the 30th on a character, which are ignored, as normalization sorts them in quadratic time. Two letters of
 * half width become marks. Unicode's stream-safe format has the same limit.
 */
const excessMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Accents of Latin, Greek and Cyrillic letters, the vowel points of Hebrew and Arabic, and frames. */
const accents = /[\p{Me}\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/gu;

/** Letters that differ from others by more than an accent. */
const letters: Readonly<Record<string, string>> = { ς: "σ", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th" };

/** Ends the term of a whole word, which is longer than that of its beginning. */
const end = ".";

/**
 * Returns the words of a text, without case and accents: letters, digits and marks next to each other. A text in a
 * script without spaces between words is one word until the next space or other character.
 */
export function wordsOf(text: string): string[] {
  const sortable = text.replace(invisible, "").replace(excessMarks, "$1");
  const plain = sortable.normalize("NFKD").replace(accents, "").toUpperCase().toLowerCase();
  const folded = plain.replace(/[ςæœøđðłþ]/g, (letter) => letters[letter] ?? letter).normalize("NFC");
  const matches = Array.from(folded.matchAll(word), ([match]) => match).filter((match) => hasLetter.test(match));
  return matches.map((match) => (isUnspaced(match) ? match : Array.from(match).slice(0, wordCharacters).join("")));
}

/**
 * Returns the terms by which searches find a text: each word, and each beginning of a word. A script without spaces
 * has a term for each character and for each pair of characters.
 */
export function indexedTerms(text: string, rule: TermRule = 2): string[] {
  const terms = distinct(wordsOf(text), (each) => each).flatMap((each) => {
    if (!isUnspaced(each)) return [...beginningsOf(each), each + end];
    const single = charactersOf(each);
    return rule === 1 ? single.flatMap((one) => [one, one + end]) : [...single, ...pairsOf(single)];
  });
  return distinct(terms, (each) => each);
}

/** Returns the terms that a text must have: the words of the search, of which the last one may go on. */
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
