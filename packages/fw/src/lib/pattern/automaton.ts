import { partition, type Alphabet } from "./alphabet.ts";
import type { Expression } from "./expression.ts";
import { Terms, type Term } from "./terms.ts";

/** The maximum number of states of an automaton, and of its transitions. */
export const mostStates = 1_000;
const mostSteps = 25_000;

/** Matches text character by character in one pass, by following the states of an expression. */
export interface Automaton {
  /** The first character of each interval, starting at 0, and the interval's class. */
  readonly from: readonly number[];
  readonly classes: readonly number[];
  /**
   * The next state for each class, one row per state; -1 if no text can match any more. The first state is the start.
   */
  readonly steps: readonly (readonly number[])[];
  /** The states in which the text may end. */
  readonly ends: readonly number[];
}

/**
 * Builds the automaton of an expression from its derivatives. Returns "too large" if it needs too many states,
 * transitions or terms, and "nothing" if no string matches.
 */
export function automatonOf(expression: Expression): Automaton | "too large" | "nothing" {
  const alphabet = partition(expression);
  const terms = new Terms(alphabet);
  const states: Term[] = [];
  const numbers = new Map<Term, number>();
  const steps: number[][] = [];
  const number = (term: Term): number => {
    if (term === terms.nothing) return -1;
    const known = numbers.get(term);
    if (known !== undefined) return known;
    numbers.set(term, states.length);
    return states.push(term) - 1;
  };
  number(terms.of(expression));
  // Also visits the states that the loop appends.
  for (const state of states) {
    steps.push(Array.from({ length: alphabet.count }, (_, letter) => number(terms.after(state, letter))));
    if (isTooLarge(states.length, alphabet) || terms.isTooLarge) return "too large";
  }
  const ends = [...states.keys()].filter((state) => states[state]?.takesEmpty);
  if (ends.length === 0) return "nothing";
  return { from: alphabet.from, classes: alphabet.classes, steps, ends };
}

function isTooLarge(states: number, alphabet: Alphabet): boolean {
  return states > mostStates || states * alphabet.count > mostSteps;
}
