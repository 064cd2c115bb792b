import type { CharSet } from "./char-set.ts";
import type { Expression } from "./expression.ts";

/** The character classes that an expression distinguishes. */
export interface Alphabet {
  readonly count: number;
  /** The first character of each interval, starting at 0, and the interval's class. */
  readonly from: readonly number[];
  readonly classes: readonly number[];
  readonly classesOf: (set: CharSet) => ReadonlySet<number>;
}

export function partition(expression: Expression): Alphabet {
  const sets = [...new Set(setsIn(expression))];
  const from = [...new Set([0, ...sets.flatMap((set) => set.flatMap(([first, last]) => [first, last + 1]))])]
    .filter((point) => point <= 0x10ffff)
    .toSorted((a, b) => a - b);
  const members: string[][] = from.map(() => []);
  const indexes = new Map(from.map((point, index) => [point, index]));
  for (const [number, set] of sets.entries())
    for (const index of intervalsOf(set, indexes, from.length)) members[index]?.push(String(number));
  const numbers = new Map<string, number>();
  const classes = members.map((holders) => {
    const key = holders.join(",");
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key) ?? 0;
  });
  const classesOf = (set: CharSet): ReadonlySet<number> =>
    new Set(intervalsOf(set, indexes, from.length).map((index) => classes[index] ?? 0));
  return { count: numbers.size, from, classes, classesOf };
}

function intervalsOf(set: CharSet, indexes: ReadonlyMap<number, number>, count: number): readonly number[] {
  return set.flatMap(([first, last]) => {
    const start = indexes.get(first) ?? 0;
    const end = indexes.get(last + 1) ?? count;
    return Array.from({ length: end - start }, (_, step) => start + step);
  });
}

function setsIn(expression: Expression): readonly CharSet[] {
  switch (expression.is) {
    case "characters":
      return [expression.set];
    case "repeat":
      return setsIn(expression.part);
    default:
      return expression.parts.flatMap(setsIn);
  }
}
