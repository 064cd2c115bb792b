import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { Project } from "../source/project.ts";
import type { Report } from "./report.ts";
import type { Value } from "./value.ts";
import type { Frame } from "./frame.ts";

/** One run of a module's code over what is known of queries, as its steps see it. */
export interface Run {
  readonly project: Project;
  readonly report: Report;
  /** The functions being run, the innermost last. */
  readonly calling: FunctionNode[];
  /** Values of constants of modules. */
  readonly constants: Map<ESTree.Node, Value>;
  /** What functions of the top level answer when no query goes in. */
  readonly results: Map<FunctionNode, Value>;
  /** False when what follows is not reached. */
  statement(node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean;
  /** What an expression comes to, as far as queries are concerned. */
  value(node: ESTree.Node, frame: Frame): Value;
}
