import { partition, type Alphabet } from "./alphabet.ts";
import type { Expression } from "./expression.ts";
import { Terms, type Term } from "./terms.ts";

/** States of the largest automaton that is made, and steps of all of them. */
export const mostStates = 1_000;
const mostSteps = 25_000;

/** Matches a text character by character in one pass, following the states of its expression. */
export interface Automaton {
  /** The characters at which another class begins, from 0 on, and that class. */
  readonly from: readonly number[];
  readonly classes: readonly number[];
  /** The state after each class, a row for each state; -1 where no text goes on. The first is where a text begins. */
  readonly steps: readonly (readonly number[])[];
  /** The states in which a text may end. */
  readonly ends: readonly number[];
}

/**
 * The automaton of an expression, by its derivatives; undefined where it would be too large, or takes no text at all.
 */
export function automatonOf(expression: Expression): Automaton | "too large" | "nothing" {
  const alphabet = partition(expression);
  const terms = new Terms(alphabet);
  const start = terms.of(expression);
  const states: Term[] = [start];
  const numbers = new Map([[start, 0]]);
  const steps: number[][] = [];
  const number = (term: Term): number => {
    if (term === terms.nothing) return -1;
    const known = numbers.get(term);
    if (known !== undefined) return known;
    numbers.set(term, states.length);
    return states.push(term) - 1;
  };
  for (let state = 0; state < states.length; state++) {
    const row: number[] = [];
    for (let letter = 0; letter < alphabet.count; letter++)
      row.push(number(terms.after(states[state] ?? start, letter)));
    steps.push(row);
    if (isTooLarge(states.length, alphabet) || terms.isTooLarge) return "too large";
  }
  const ends = [...states.keys()].filter((state) => states[state]?.takesEmpty);
  if (ends.length === 0) return "nothing";
  return { from: alphabet.from, classes: alphabet.classes, steps, ends };
}

function isTooLarge(states: number, alphabet: Alphabet): boolean {
  return states > mostStates || states * alphabet.count > mostSteps;
}
