import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import type { Project } from "../source/project.ts";
import type { QueryReport } from "./report.ts";
import {
  find,
  type FunctionValue,
  type Instance,
  type VariableScope,
  type State,
  type UnknownValue,
  type Value,
  type Variable,
} from "./value.ts";

/** The state of interpreting one module, shared by all frames. */
export interface Interpretation {
  readonly project: Project;
  readonly report: QueryReport;
  /** The functions and classes that are running, innermost last. */
  readonly callStack: ESTree.Node[];
  readonly constants: Map<ESTree.Node, Value>;
  /** Results of top-level functions that were called without queries, entities and functions as arguments. */
  readonly results: Map<FunctionNode, Value>;
  /** Runs a statement; returns false if the code after it is unreachable. */
  statement(node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean;
  /** Evaluates an expression, tracking queries and entities only. */
  value(node: ESTree.Node, frame: Frame): Value;
}

/** The initial state of a function or a module's top level. */
interface FrameOptions {
  readonly module: SourceModule;
  readonly scope?: VariableScope | undefined;
  readonly state?: State;
  /** True for a function that interpreted code calls. */
  readonly isCalled?: boolean;
  readonly self?: Instance | undefined;
}

/** One execution of a function or of a module's top level. */
export class Frame {
  readonly run: Interpretation;
  readonly module: SourceModule;
  scope: VariableScope | undefined;
  state: State;
  readonly isCalled: boolean;
  /** The value of `this`, if it is a tracked instance. */
  readonly self: Instance | undefined;
  readonly returns: { readonly value: Value; readonly node: ESTree.Node }[] = [];
  /** States at early exits from loops and switches. */
  readonly exits: State[] = [];

  constructor(run: Interpretation, { module, scope, state = new Map(), isCalled = false, self }: FrameOptions) {
    this.run = run;
    this.module = module;
    this.scope = scope;
    this.state = state;
    this.isCalled = isCalled;
    this.self = self;
  }

  statement(node: ESTree.Statement | ESTree.Directive): boolean {
    return this.run.statement(node, this);
  }

  value(node: ESTree.Node): Value {
    return this.run.value(node, this);
  }

  place(node: ESTree.Node): SourceNode {
    return { module: this.module, node };
  }

  functionValue(node: FunctionNode): FunctionValue {
    return { kind: "function", module: this.module, node, scope: this.scope, self: this.selfIn(node) };
  }

  /** Returns `this` for a function inside this code; undefined if the function has its own. */
  selfIn({ type }: FunctionNode): Instance | undefined {
    return type === "ArrowFunctionExpression" ? this.self : undefined;
  }

  find(name: string): Variable | undefined {
    return find(this.scope, name);
  }

  assign(name: string, value: Value | UnknownValue): void {
    const variable = this.find(name);
    if (variable) this.state.set(variable, value);
  }

  valueOf(variable: Variable): Value {
    const value = this.state.get(variable);
    return value?.kind === "unknown" ? undefined : value;
  }

  /** Opens a scope with the names of a function or a block. */
  declare(names: readonly string[]): void {
    const variables = names.map((name): [string, Variable] => {
      return [name, { init: undefined, captured: false, owner: this }];
    });
    this.scope = { variables: new Map(variables), parent: this.scope };
  }

  inScope<T>(names: readonly string[], run: () => T): T {
    const outer = this.scope;
    this.declare(names);
    const result = run();
    this.scope = outer;
    return result;
  }

  /** Evaluates an expression in a position where a query would be lost. */
  unused(node: ESTree.Node, how: string): void {
    this.reportEscape(this.value(node), node, how);
  }

  /** Reports a query that fw can no longer track. */
  reportEscape(value: Value, node: ESTree.Node, how: string): void {
    if (value?.kind === "query") this.run.report.addEscape(this.place(node), how, value);
  }

  /** Reports an entity whose queries fw cannot track. */
  reportEntityEscape(node: ESTree.Node, how: string): void {
    this.run.report.addEntityEscape(this.place(node), how);
  }
}

/** Lists the names that a statement declares in its block. */
export function namesOf(node: ESTree.Statement | ESTree.Directive): readonly string[] {
  switch (node.type) {
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => patternNames(id));
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id ? [node.id.name] : [];
    default:
      return [];
  }
}
