import * as fc from "fast-check";

const surrogates = 0xd800;
const afterSurrogates = 0xe000;
const last = 0x10ffff;

const ascii = fc.integer({ min: 0, max: 0x7f });
const other = fc
  .integer({ min: 0x80, max: last - (afterSurrogates - surrogates) })
  .map((place) => (place < surrogates ? place : place + afterSurrogates - surrogates));

/**
 * Generates any character except half of a surrogate pair; about half of the characters are ASCII. fast-check's own
 * `binary` first lists all of Unicode, which takes seconds.
 */
export const codePoint: fc.Arbitrary<string> = fc.oneof(ascii, other).map((code) => String.fromCodePoint(code));
