import { charSet, escapeSets, propertySet, without, type CharSet } from "./char-set.ts";
import { halfProblem, isHalf, type Cursor } from "./cursor.ts";

/** Parses a class such as `[a-z\d]` or `[^…]`. */
export function classAt(cursor: Cursor): CharSet {
  const start = cursor.position;
  cursor.take("[");
  const isNegated = cursor.take("^");
  const ranges: (readonly [number, number])[] = [];
  while (!cursor.isAt("]")) {
    if (cursor.atEnd()) cursor.refuse('"[" is not closed', start);
    ranges.push(...rangesAt(cursor));
  }
  cursor.take("]");
  const set = charSet(ranges);
  return isNegated ? without(set) : set;
}

function rangesAt(cursor: Cursor): CharSet {
  const start = cursor.position;
  const first = memberAt(cursor);
  if (!cursor.isAt("-") || cursor.isAt("-]")) return first;
  cursor.take("-");
  if (cursor.atEnd()) return first;
  const second = memberAt(cursor);
  const [from, to] = [single(first), single(second)];
  if (from === undefined || to === undefined) cursor.refuse("both ends of a range must be single characters", start);
  if (from > to) cursor.refuse("the lower end of a range must come first", start);
  return [[from, to]];
}

function single(set: CharSet): number | undefined {
  const [only, ...more] = set;
  return only !== undefined && more.length === 0 && only[0] === only[1] ? only[0] : undefined;
}

/** Characters that are literals in a class, but operators with the `v` flag. */
const operators = "()[]{}/-|";
/** Characters that are operators with the `v` flag if doubled. */
const doubled = "&!#$%*+,.:;<=>?@^`~-";

function memberAt(cursor: Cursor): CharSet {
  if (cursor.isAt("\\")) return escapeAt(cursor, true);
  const character = cursor.peek();
  if (doubled.includes(character) && cursor.isAt(character, 1))
    cursor.refuse(`"${character}${character}" in a class is an operator in browsers: write ${character} once`);
  const point = cursor.next(operators.includes(character) ? `\\${character}` : undefined);
  return [[point, point]];
}

const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };

export function escapeAt(cursor: Cursor, inClass = false): CharSet {
  return (
    escapeSetAt(cursor) ??
    controlAt(cursor) ??
    codeAt(cursor) ??
    propertyAt(cursor) ??
    literalAt(cursor, inClass) ??
    refuseEscape(cursor)
  );
}

function escapeSetAt(cursor: Cursor): CharSet | undefined {
  const [, letter = ""] = cursor.match(/\\([dDwWsS])/y) ?? [];
  return escapeSets.get(letter);
}

function controlAt(cursor: Cursor): CharSet | undefined {
  const [escape, control = "0"] = cursor.match(/\\(?:([nrtvf])|0(?!\d))/y) ?? [];
  return escape === undefined ? undefined : characterSet(controls[control]);
}

function codeAt(cursor: Cursor): CharSet | undefined {
  const start = cursor.position;
  const [, hex, unit, point] = cursor.match(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,8})\})/y) ?? [];
  const digits = hex ?? unit ?? point;
  if (digits === undefined) return undefined;
  const code = parseInt(digits, 16);
  if (code > 0x10ffff) cursor.refuse("this code point does not exist", start);
  if (isHalf(code)) cursor.refuse(halfProblem, start);
  return characterSet(code);
}

function propertyAt(cursor: Cursor): CharSet | undefined {
  const start = cursor.position;
  const [, sign, name] = cursor.match(/\\([pP])\{([\w=]+)\}/y) ?? [];
  if (name === undefined) return undefined;
  const set = propertySet(name);
  if (set === undefined) cursor.refuse(`unknown Unicode property ${name}`, start);
  return sign === "P" ? without(set) : set;
}

function literalAt(cursor: Cursor, inClass: boolean): CharSet | undefined {
  const [, itself] = cursor.match(inClass ? /\\([\\^$.*+?()[\]{}|/-])/y : /\\([\\^$.*+?()[\]{}|/])/y) ?? [];
  return itself === undefined ? undefined : characterSet(itself.codePointAt(0));
}

function characterSet(point = 0): CharSet {
  return [[point, point]];
}

function refuseEscape(cursor: Cursor): never {
  if (cursor.isAt("\\b") || cursor.isAt("\\B"))
    cursor.refuse("word boundaries are not supported: write the characters themselves");
  if (cursor.isAt("\\k") || /^[1-9]$/.test(cursor.characterAfter()))
    cursor.refuse("references to groups are not supported");
  cursor.refuse(`"\\${cursor.characterAfter()}" is not an escape: write the character without the backslash`);
}
