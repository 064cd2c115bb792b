import type { Automaton } from "./automaton.ts";

/** True if the whole text matches. Takes one step per character. */
export function matches(text: string, { from, classes, steps, ends }: Automaton): boolean {
  let state = 0;
  for (let position = 0; position < text.length; position++) {
    const point = text.codePointAt(position) as number;
    if (point > 0xffff) position++;
    state = (steps[state] as readonly number[])[classes[stretchOf(point, from)] as number] as number;
    if (state === -1) return false;
  }
  return ends.includes(state);
}

/** Returns the index of the interval that contains a character. */
function stretchOf(point: number, from: readonly number[]): number {
  let low = 0;
  let high = from.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((from[middle] as number) <= point) low = middle;
    else high = middle - 1;
  }
  return low;
}
