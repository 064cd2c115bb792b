/** One of the five fields of a schedule: its name, its bounds, and names for numbers. */
export interface FieldKind {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Names for the numbers starting at `from`. */
  readonly names?: readonly string[];
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export const fieldKinds: readonly FieldKind[] = [
  { name: "a minute", from: 0, to: 59 },
  { name: "an hour", from: 0, to: 23 },
  { name: "a day of the month", from: 1, to: 31 },
  { name: "a month", from: 1, to: 12, names: monthNames },
  { name: "a day of the week", from: 0, to: 7, names: dayNames },
];

export interface CronField {
  /** The field in unix-cron syntax, with names replaced by numbers. */
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

/** A problem in a schedule, as a sentence without a period, and how to fix it. */
export interface CronMistake {
  readonly message: string;
  readonly hint: string;
}

/** Parses `*`, numbers, names, ranges, steps, and lists of them. */
export function parseField(text: string, kind: FieldKind): CronField | CronMistake {
  const values = new Set<number>();
  const parts: string[] = [];
  for (const part of text.split(",")) {
    const read = parsePart(part, kind);
    if ("message" in read) return read;
    for (let value = read.from; value <= read.to; value += read.step) values.add(value);
    parts.push(read.text);
  }
  return { text: parts.join(","), values };
}

interface Part {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const grammar = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/([0-9]{1,4}))?$/i;

function parsePart(part: string, kind: FieldKind): Part | CronMistake {
  const match = grammar.exec(part);
  const [, first = "", last, step] = match ?? [];
  if (!match || (first === "*" && last !== undefined)) return notAField(part, kind);
  const range = first === "*" ? { from: kind.from, to: kind.to } : parseRange(first, last, kind);
  if ("message" in range) return range;
  const size = step === undefined ? 1 : Number(step);
  if (size < 1 || size > kind.to)
    return { message: `the step of "${part}" is not from 1 to ${kind.to}`, hint: stepHint };
  if (step !== undefined && first !== "*" && last === undefined) {
    return {
      message: `"${part}" has a step but no range`,
      hint: `write "${range.from}-${kind.to}/${size}"`,
    };
  }
  const written = first === "*" ? "*" : last === undefined ? `${range.from}` : `${range.from}-${range.to}`;
  return { text: step === undefined ? written : `${written}/${size}`, ...range, step: size };
}

const stepHint = 'write a step after a range, such as "*/15" or "8-18/2"';

function parseRange(
  first: string,
  last: string | undefined,
  kind: FieldKind,
): { readonly from: number; readonly to: number } | CronMistake {
  const from = parseNumber(first, kind);
  const end = last === undefined ? from : parseNumber(last, kind);
  if (from === undefined) return notAField(first, kind);
  if (end === undefined) return notAField(last ?? first, kind);
  // A range may end on Sunday: fri-sun.
  const to = end === 0 && from > 0 && kind.names === dayNames ? 7 : end;
  if (to >= from) return { from, to };
  return {
    message: `the range "${first}-${last}" ends before it starts`,
    hint: "write two ranges, separated by a comma",
  };
}

function parseNumber(text: string, { from, to, names = [] }: FieldKind): number | undefined {
  const index = names.indexOf(text.toLowerCase());
  if (index >= 0) return from + index;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
}

function notAField(text: string, { name, from, to, names }: FieldKind): CronMistake {
  const named = names === undefined ? "" : ` or ${names[0]} to ${names.at(-1)}`;
  return {
    message: `"${text}" is not ${name}`,
    hint: `${name} can be *, a number from ${from} to ${to}${named}, a range, a step, or a list of these`,
  };
}
