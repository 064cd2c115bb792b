/** Limit: characters of a word that a search compares; the rest of a longer word is ignored. */
const wordCharacters = 24;

/** Characters of scripts that put no spaces between words; each is a word. */
const unspaced = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";

const word = new RegExp(`(?=\\p{L})[${unspaced}]\\p{M}*|(?:(?!(?=\\p{L})[${unspaced}])[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** Accents of Latin, Greek and Cyrillic letters, and the vowel points of Hebrew and Arabic. */
const accents = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;

/** Letters that differ from others by more than an accent. */
const letters: Readonly<Record<string, string>> = { ς: "σ", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", þ: "th" };

/** Ends the term of a whole word, which is longer than that of its beginning. */
const end = ".";

/** Returns the words of a text, without case and accents: letters, digits and marks next to each other. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(accents, "").toUpperCase().toLowerCase();
  const folded = plain.replace(/[ςæœøđðłþ]/g, (letter) => letters[letter] ?? letter).normalize("NFC");
  return Array.from(folded.matchAll(word), ([match]) => Array.from(match).slice(0, wordCharacters).join(""));
}

/** Returns the terms by which searches find a text: each word, and each beginning of a word. */
export function indexedTerms(text: string): string[] {
  return wordsOf(text).flatMap((each) => [...beginningsOf(each), each + end]);
}

/** Returns the terms that a text must have: the words of the search, of which the last one may go on. */
export function searchedTerms(words: readonly string[]): string[] {
  return words.map((each, index) => (index === words.length - 1 ? each : each + end));
}

function beginningsOf(each: string): string[] {
  const characters = Array.from(each);
  return characters.map((_, index) => characters.slice(0, index + 1).join(""));
}
