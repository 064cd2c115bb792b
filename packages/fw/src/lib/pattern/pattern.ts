import { automatonOf, mostStates, type Automaton } from "./automaton.ts";
import { UnreadPattern } from "./expression.ts";
import { readPattern } from "./read.ts";

/** A pattern of whole texts, and what matches it. */
export interface Pattern {
  /** The pattern between `^(?:` and `)$`, in a form that every dialect of ECMAScript's expressions reads alike. */
  readonly text: string;
  readonly automaton: Automaton;
}

const known: Map<string, Pattern | { readonly problem: string }> = new Map();

/** The pattern that is written so, or why it is none. */
export function patternOf(source: string): Pattern | { readonly problem: string } {
  let pattern = known.get(source);
  if (pattern === undefined) known.set(source, (pattern = made(source)));
  return pattern;
}

function made(source: string): Pattern | { readonly problem: string } {
  try {
    const { expression, text } = readPattern(source);
    const automaton = automatonOf(expression);
    if (automaton === "nothing") return { problem: "no text is of it" };
    if (automaton === "too large") {
      return {
        problem: `it takes more than ${mostStates} states to match it in one pass; put MaxLength in place of large counts, and less that overlaps after .* and the like`,
      };
    }
    return { text, automaton };
  } catch (error) {
    if (!(error instanceof UnreadPattern)) throw error;
    const { at, problem } = error.problem;
    return { problem: `at its character ${at}, ${problem}` };
  }
}

/** The same of a pattern that is known to be one. */
export function knownPattern(text: string): Pattern {
  const pattern = patternOf(text);
  if ("problem" in pattern) throw new Error(`${text} is no pattern: ${pattern.problem}`);
  return pattern;
}
