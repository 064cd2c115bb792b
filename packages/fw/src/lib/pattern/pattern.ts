import { automatonOf, mostStates, type Automaton } from "./automaton.ts";
import { UnreadPattern } from "./expression.ts";
import { readPattern } from "./read.ts";

/** A compiled pattern that matches whole strings. */
export interface Pattern {
  /** The pattern between `^(?:` and `)$`, in a form that means the same with the `u` and `v` flags. */
  readonly text: string;
  readonly automaton: Automaton;
}

const patterns: Map<string, Pattern | { readonly problem: string }> = new Map();

/** Compiles a pattern, or returns why it is invalid. */
export function patternOf(source: string): Pattern | { readonly problem: string } {
  let pattern = patterns.get(source);
  if (pattern === undefined) patterns.set(source, (pattern = compile(source)));
  return pattern;
}

function compile(source: string): Pattern | { readonly problem: string } {
  try {
    const { expression, text } = readPattern(source);
    const automaton = automatonOf(expression);
    if (automaton === "nothing") return { problem: "no string matches it" };
    if (automaton === "too large") {
      return {
        problem: `it takes more than ${mostStates} states to match it in one pass: use MaxLength instead of large counts, and fewer overlapping parts after .*`,
      };
    }
    return { text, automaton };
  } catch (error) {
    if (!(error instanceof UnreadPattern)) throw error;
    const { at, problem } = error.problem;
    return { problem: `at character ${at}: ${problem}` };
  }
}

/** Compiles a pattern that is known to be valid. */
export function knownPattern(text: string): Pattern {
  const pattern = patternOf(text);
  if ("problem" in pattern) throw new Error(`${text} is not a valid pattern: ${pattern.problem}`);
  return pattern;
}
