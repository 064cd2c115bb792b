/** A grapheme cluster, with its width in terminal columns. */
interface Cell {
  readonly text: string;
  readonly index: number;
  readonly width: number;
}

/** Created on demand: the engine then loads its tables of Unicode, which takes 12 ms and 3 MB. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a string into grapheme clusters. In a string of printable ASCII, every character is one. */
export function* cells(text: string): Generator<Cell> {
  if (/^[ -~]*$/.test(text)) {
    for (let index = 0; index < text.length; index += 1) yield { text: text.charAt(index), index, width: 1 };
    return;
  }
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment, index } of segmenter.segment(text)) yield { text: segment, index, width: widthOf(segment) };
}

const zeroWidth = /^[\p{Mn}\p{Me}\u200b-\u200f\u2060\ufeff]+$/u;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;

function widthOf(grapheme: string): number {
  if (zeroWidth.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  return isWide(grapheme.codePointAt(0) ?? 0) ? 2 : 1;
}

/** The first and last code points of blocks that terminals draw two columns wide (UAX 11, W and F). */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

function isWide(codePoint: number): boolean {
  return codePoint >= 0x1100 && wide.some(([first, last]) => codePoint >= first && codePoint <= last);
}
