import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { runExpression } from "./expression.ts";
import type { QueryReport } from "./report.ts";
import { runStatement } from "./statement.ts";
import type { Value } from "./value.ts";
import { Frame, type Interpretation } from "./frame.ts";

/** The maximum number of nodes to visit in a module; queries after that count as escaped. */
const mostSteps = 500_000;

/** Interprets a module's code to track its queries: takes every branch and enters every function of the application. */
export class QueryInterpreter implements Interpretation {
  readonly project: Project;
  readonly report: QueryReport;
  readonly callStack: ESTree.Node[] = [];
  readonly constants: Map<ESTree.Node, Value> = new Map();
  readonly results: Map<FunctionNode, Value> = new Map();
  #steps = 0;

  constructor(project: Project, report: QueryReport) {
    this.project = project;
    this.report = report;
  }

  /** Runs all code of a module. */
  module(module: SourceModule): void {
    const frame = new Frame(this, { module });
    for (const statement of module.program.body) frame.statement(statement);
  }

  statement(node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean {
    return ++this.#steps <= mostSteps && runStatement(node, frame);
  }

  value(node: ESTree.Node, frame: Frame): Value {
    return ++this.#steps > mostSteps ? undefined : runExpression(node, frame);
  }
}
