import type { CharSet } from "./char-set.ts";

/** The syntax tree of a regular expression. */
export type Expression =
  | { readonly is: "characters"; readonly set: CharSet }
  | { readonly is: "sequence"; readonly parts: readonly Expression[] }
  | { readonly is: "choice"; readonly parts: readonly Expression[] }
  | { readonly is: "repeat"; readonly part: Expression; readonly min: number; readonly max: number };

/** An unsupported part of a pattern, and its position. */
export interface PatternProblem {
  /** The position of the part's first character, counted from 1. */
  readonly at: number;
  readonly problem: string;
}

export class UnreadPattern extends Error {
  readonly problem: PatternProblem;
  constructor(problem: PatternProblem) {
    super(problem.problem);
    this.problem = problem;
  }
}
