import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { runExpression } from "./expression.ts";
import type { Report } from "./report.ts";
import { runStatement } from "./statement.ts";
import type { Value } from "./value.ts";
import { Frame, type Run } from "./frame.ts";

/** Nodes that are visited for one module; beyond, a query is said to escape. */
const mostSteps = 500_000;

/** Runs functions over what is known of queries: every branch is taken, and every function of the application entered. */
export class Flow implements Run {
  readonly project: Project;
  readonly report: Report;
  readonly calling: FunctionNode[] = [];
  readonly constants: Map<ESTree.Node, Value> = new Map();
  readonly results: Map<FunctionNode, Value> = new Map();
  #steps = 0;

  constructor(project: Project, report: Report) {
    this.project = project;
    this.report = report;
  }

  /** Everything that a module does with queries. */
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
