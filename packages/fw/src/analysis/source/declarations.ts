import type { ESTree } from "rolldown/utils";
import type { DeclarationName } from "../../model/kinds.ts";
import type { SourceModule } from "./module.ts";

/** Where a declaration is written. Only `const` is where one belongs: a `const` of the module's top level. */
export type Placement =
  | "const"
  | "let"
  | "var"
  | "using"
  /** Taken apart by a pattern: `const { call } = API(…)`. */
  | "pattern"
  | "function"
  | "class"
  /** A block, a loop, a condition or a namespace of the top level. */
  | "block"
  | "object-member"
  | "array-element"
  /** An argument of another call. */
  | "argument"
  | "default-export"
  /** A statement of its own, or part of a larger expression. */
  | "expression";

/** A call of a declaration function of `fw`, wherever it is written. */
export interface DeclarationCall {
  readonly name: DeclarationName;
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  readonly placement: Placement;
  /** The variable that holds it, when it is a top-level one. */
  readonly variable?: string;
  /** True when the module exports that variable under any name. */
  readonly exported: boolean;
  /** For an argument: the declaration it is an argument of, when it is one. */
  readonly inside?: DeclarationName;
}
