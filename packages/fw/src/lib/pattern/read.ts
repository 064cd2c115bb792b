import { dot } from "./char-set.ts";
import { classAt, escapeAt } from "./class.ts";
import { Cursor } from "./cursor.ts";
import type { Expression } from "./expression.ts";

/** Characters of the longest pattern that is read. */
const longestPattern = 1_000;
/** Groups inside of groups that are read. */
const deepestGroups = 50;
/** The largest count of a repetition. */
const mostRepeats = 1_000;

/** A pattern that is read: what it takes, and its text as every dialect of ECMAScript's reads it. */
export interface ReadPattern {
  readonly expression: Expression;
  /**
   * The pattern as both `u` and `v` read it, for a form's `pattern` and JSON Schema: the text between `^(?:` and `)$`.
   */
  readonly text: string;
}

/**
 * A pattern of whole texts: ECMAScript's of the `u` flag without what cannot be matched in one pass. Throws
 * `UnreadPattern`.
 */
export function readPattern(source: string): ReadPattern {
  const cursor = new Cursor(source);
  if (source.length > longestPattern) cursor.refuse(`it is longer than ${longestPattern} characters`, 0);
  const expression = choice(cursor, 0);
  if (!cursor.atEnd()) cursor.refuse('")" closes no group; write \\)');
  return { expression, text: cursor.written() };
}

function choice(cursor: Cursor, depth: number): Expression {
  const parts = [sequence(cursor, depth)];
  while (cursor.take("|")) parts.push(sequence(cursor, depth));
  const [only, ...more] = parts;
  return only !== undefined && more.length === 0 ? only : { is: "choice", parts };
}

function sequence(cursor: Cursor, depth: number): Expression {
  const parts: Expression[] = [];
  // A pattern is of the whole text: the marks of its ends say what is so.
  if (depth === 0) cursor.skip("^");
  while (!cursor.atEnd() && !cursor.isAt("|") && !cursor.isAt(")")) {
    if (depth === 0 && cursor.isAt("$") && (cursor.isAt("|", 1) || cursor.isLast())) {
      cursor.skip("$");
      continue;
    }
    parts.push(repeated(cursor, one(cursor, depth)));
  }
  const [only, ...more] = parts;
  return only !== undefined && more.length === 0 ? only : { is: "sequence", parts };
}

function one(cursor: Cursor, depth: number): Expression {
  if (cursor.isAt("(")) return group(cursor, depth);
  if (cursor.isAt("[")) return { is: "characters", set: classAt(cursor) };
  if (cursor.isAt("\\")) return { is: "characters", set: escapeAt(cursor) };
  if (cursor.isAt("^") || cursor.isAt("$"))
    cursor.refuse("a pattern is of the whole text, so ^ and $ stand at its ends only; leave them out");
  if (cursor.take(".")) return { is: "characters", set: dot };
  const character = cursor.peek();
  if ("*+?".includes(character)) cursor.refuse(`"${character}" repeats nothing; write \\${character}`);
  if ("{}]".includes(character)) cursor.refuse(`"${character}" stands alone; write \\${character}`);
  const point = cursor.next();
  return { is: "characters", set: [[point, point]] };
}

const groups: readonly (readonly [mark: string, problem: string])[] = [
  ["(?=", "a look-ahead is not read; say what the text is instead, with |"],
  ["(?!", "a look-ahead is not read; say what the text is instead, with |"],
  ["(?<=", "a look-behind is not read; say what the text is instead, with |"],
  ["(?<!", "a look-behind is not read; say what the text is instead, with |"],
  ["(?<", "a group needs no name; write (?:"],
];

function group(cursor: Cursor, depth: number): Expression {
  const start = cursor.position;
  if (depth === deepestGroups) cursor.refuse(`groups are nested more than ${deepestGroups} deep`);
  for (const [mark, problem] of groups) if (cursor.isAt(mark)) cursor.refuse(problem);
  if (cursor.isAt("(?") && !cursor.isAt("(?:"))
    cursor.refuse("flags of a group are not read; write [Aa] for either case");
  cursor.take(cursor.isAt("(?:") ? "(?:" : "(");
  const inner = choice(cursor, depth + 1);
  if (!cursor.take(")")) cursor.refuse('"(" is not closed', start);
  return inner;
}

function repeated(cursor: Cursor, part: Expression): Expression {
  const counts = countsAt(cursor);
  if (counts === undefined) return part;
  // Whether the shortest text is tried first makes no difference to what is of the pattern.
  cursor.skip("?");
  const next = cursor.position;
  if (countsAt(cursor) !== undefined) cursor.refuse("a repetition is repeated; put the first into (?: )", next);
  return { is: "repeat", part, ...counts };
}

function countsAt(cursor: Cursor): { readonly min: number; readonly max: number } | undefined {
  if (cursor.take("*")) return { min: 0, max: Infinity };
  if (cursor.take("+")) return { min: 1, max: Infinity };
  if (cursor.take("?")) return { min: 0, max: 1 };
  const [text, from = "", more, to = ""] = cursor.match(/\{(\d+)(,(\d*))?\}/y) ?? [];
  if (text === undefined) return undefined;
  const min = Number(from);
  const max = more === undefined ? min : to === "" ? Infinity : Number(to);
  if (Math.max(min, max === Infinity ? 0 : max) > mostRepeats)
    cursor.refuse(`it repeats more than ${mostRepeats} times; write + or *, and MaxLength beside it`);
  if (min > max) cursor.refuse("the counts of a repetition are the wrong way round");
  return { min, max };
}
