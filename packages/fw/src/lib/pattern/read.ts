import { dot } from "./char-set.ts";
import { classAt, escapeAt } from "./class.ts";
import { Cursor } from "./cursor.ts";
import type { Expression } from "./expression.ts";

/**
 * The maximum length of a supported pattern, the maximum nesting depth of its groups, and the highest count of a
 * repetition.
 */
const longestPattern = 1_000;
const deepestGroups = 50;
const mostRepeats = 1_000;

/** The syntax tree of a pattern, and the normalized pattern. */
export interface ReadPattern {
  readonly expression: Expression;
  /**
   * The pattern between `^(?:` and `)$`, in a form that means the same with the `u` and `v` flags, for a form's
   * `pattern` attribute and JSON Schema.
   */
  readonly text: string;
}

/**
 * Parses a pattern for whole strings in ECMAScript's syntax with the `u` flag, without features that cannot be matched
 * in one pass. Throws `UnreadPattern`.
 */
export function readPattern(source: string): ReadPattern {
  const cursor = new Cursor(source);
  if (source.length > longestPattern) cursor.refuse(`it is longer than ${longestPattern} characters`, 0);
  const expression = choice(cursor, 0);
  if (!cursor.atEnd()) cursor.refuse('")" closes no group: write \\)');
  return { expression, text: cursor.normalizedText() };
}

function choice(cursor: Cursor, depth: number): Expression {
  const parts = [sequence(cursor, depth)];
  while (cursor.take("|")) parts.push(sequence(cursor, depth));
  const [only, ...more] = parts;
  return only !== undefined && more.length === 0 ? only : { is: "choice", parts };
}

function sequence(cursor: Cursor, depth: number): Expression {
  const parts: Expression[] = [];
  // A pattern always matches the whole string, so anchors at its ends are dropped.
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
  if (cursor.isAt("^") || cursor.isAt("$")) cursor.refuse("a pattern always matches the whole string: remove ^ and $");
  if (cursor.take(".")) return { is: "characters", set: dot };
  const character = cursor.peek();
  if ("*+?".includes(character)) cursor.refuse(`"${character}" repeats nothing: write \\${character}`);
  if ("{}]".includes(character)) cursor.refuse(`"${character}" is not escaped: write \\${character}`);
  const point = cursor.next();
  return { is: "characters", set: [[point, point]] };
}

const groups: readonly (readonly [mark: string, problem: string])[] = [
  ["(?=", "look-aheads are not supported: list the allowed strings with |"],
  ["(?!", "look-aheads are not supported: list the allowed strings with |"],
  ["(?<=", "look-behinds are not supported: list the allowed strings with |"],
  ["(?<!", "look-behinds are not supported: list the allowed strings with |"],
  ["(?<", "named groups are not supported: write (?:"],
];

function group(cursor: Cursor, depth: number): Expression {
  const start = cursor.position;
  if (depth === deepestGroups) cursor.refuse(`groups are nested more than ${deepestGroups} deep`);
  for (const [mark, problem] of groups) if (cursor.isAt(mark)) cursor.refuse(problem);
  if (cursor.isAt("(?") && !cursor.isAt("(?:"))
    cursor.refuse("flags of a group are not supported: write [Aa] for either case");
  cursor.take(cursor.isAt("(?:") ? "(?:" : "(");
  const inner = choice(cursor, depth + 1);
  if (!cursor.take(")")) cursor.refuse('"(" is not closed', start);
  return inner;
}

function repeated(cursor: Cursor, part: Expression): Expression {
  const counts = countsAt(cursor);
  if (counts === undefined) return part;
  // Lazy repetition matches the same strings.
  cursor.skip("?");
  const next = cursor.position;
  if (countsAt(cursor) !== undefined) cursor.refuse("a repetition is repeated: put the inner one into (?: )", next);
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
    cursor.refuse(`it repeats more than ${mostRepeats} times: write + or *, and add MaxLength`);
  if (min > max) cursor.refuse("the smaller count of a repetition must come first");
  return { min, max };
}
