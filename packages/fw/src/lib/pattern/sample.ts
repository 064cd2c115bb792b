import type { Automaton } from "./automaton.ts";

/** The largest minimum length of a sample. */
export const longestSample = 1_000;

/**
 * Returns a matching string with a length from `min` to `max`; undefined if there is none or `min` exceeds
 * `longestSample`.
 */
export function sampleOf(automaton: Automaton, min: number = 0, max: number = Infinity): string | undefined {
  if (min > longestSample) return undefined;
  const samples = charactersOf(automaton);
  // A longer string would pass some state twice, so a shorter one exists.
  const last = Math.min(max, min + automaton.steps.length);
  let layer: ReadonlyMap<number, string> = new Map([[0, ""]]);
  for (let length = 0; length <= last && layer.size > 0; length++) {
    const end = length < min ? undefined : automaton.ends.find((state) => layer.has(state));
    if (end !== undefined) return layer.get(end);
    layer = after(layer, automaton, samples);
  }
  return undefined;
}

/** Returns the states that are reachable with one more character, each with a string that leads to it. */
function after(
  layer: ReadonlyMap<number, string>,
  { steps }: Automaton,
  samples: readonly (readonly [number: number, character: string])[],
): ReadonlyMap<number, string> {
  const next = new Map<number, string>();
  for (const [state, text] of layer) {
    for (const [number, character] of samples) {
      const to = steps[state]?.[number] ?? -1;
      if (to !== -1 && !next.has(to)) next.set(to, text + character);
    }
  }
  return next;
}

/** Returns one character from each class. Prefers letters, then digits, then other printable characters. */
function charactersOf({ from, classes }: Automaton): readonly (readonly [number: number, character: string])[] {
  const samples = new Map<number, readonly [rank: number, point: number]>();
  for (const [index, first] of from.entries()) {
    const number = classes[index] ?? 0;
    const last = (from[index + 1] ?? 0x110000) - 1;
    const point = preferred.find((character) => character >= first && character <= last) ?? first;
    const rank = preferred.includes(point) ? preferred.indexOf(point) : preferred.length + point;
    if (rank < (samples.get(number)?.[0] ?? Infinity)) samples.set(number, [rank, point]);
  }
  return [...samples]
    .toSorted(([, [a]], [, [b]]) => a - b)
    .map(([number, [, point]]) => [number, String.fromCodePoint(point)]);
}

const printable: string = Array.from({ length: 95 }, (_, i) => String.fromCodePoint(32 + i)).join("");
const preferred: readonly number[] = Array.from(`aA1 -_.${printable}`, (character) => character.codePointAt(0) ?? 0);
