import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import type { Project } from "../source/project.ts";
import type { Report } from "./report.ts";
import {
  find,
  type FunctionValue,
  type Scope,
  type State,
  type UnknownValue,
  type Value,
  type Variable,
} from "./value.ts";

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

/** What a function, or a module's top level, begins to run with. */
interface FrameStart {
  readonly module: SourceModule;
  readonly scope?: Scope | undefined;
  readonly state?: State;
  /** True for a function that is run because code that is followed calls it. */
  readonly entered?: boolean;
}

/** One run of a function, or of a module's top level. */
export class Frame {
  readonly run: Run;
  readonly module: SourceModule;
  scope: Scope | undefined;
  state: State;
  readonly entered: boolean;
  /** What it returns, with the places of the queries among it. */
  readonly returns: { readonly value: Value; readonly node: ESTree.Node }[] = [];
  /** States in which loops and switches are left early. */
  readonly exits: State[] = [];

  constructor(run: Run, { module, scope, state = new Map(), entered = false }: FrameStart) {
    this.run = run;
    this.module = module;
    this.scope = scope;
    this.state = state;
    this.entered = entered;
  }

  /** False when what follows is not reached. */
  statement(node: ESTree.Statement | ESTree.Directive): boolean {
    return this.run.statement(node, this);
  }

  /** What an expression comes to, as far as queries are concerned. */
  value(node: ESTree.Node): Value {
    return this.run.value(node, this);
  }

  /** A node of the module that runs. */
  place(node: ESTree.Node): SourceNode {
    return { module: this.module, node };
  }

  functionValue(node: FunctionNode): FunctionValue {
    return { kind: "function", module: this.module, node, scope: this.scope };
  }

  find(name: string): Variable | undefined {
    return find(this.scope, name);
  }

  assign(name: string, value: Value | UnknownValue): void {
    const variable = this.find(name);
    if (variable) this.state.set(variable, value);
  }

  /** What is known of what a variable holds. */
  held(variable: Variable): Value {
    const held = this.state.get(variable);
    return held?.kind === "unknown" ? undefined : held;
  }

  /** Opens a scope for the names of a function or a block. */
  declare(names: readonly string[]): void {
    const variables = names.map((name): [string, Variable] => {
      return [name, { init: undefined, captured: false, owner: this }];
    });
    this.scope = { variables: new Map(variables), parent: this.scope };
  }

  /** Runs with names of a block in sight. */
  inScope<T>(names: readonly string[], run: () => T): T {
    const outer = this.scope;
    this.declare(names);
    const result = run();
    this.scope = outer;
    return result;
  }

  /** An expression whose value nobody follows further. */
  unused(node: ESTree.Node, how: string): void {
    this.lost(this.value(node), node, how);
  }

  /** A query that goes where nobody follows it. */
  lost(value: Value, node: ESTree.Node, how: string): void {
    if (value?.kind === "query") this.run.report.escape(this.place(node), how, value);
  }

  /** A query of an entity that begins where it cannot be followed. */
  entityEscapes(node: ESTree.Node, how: string): void {
    this.run.report.entityEscape(this.place(node), how);
  }
}

/** Names that a statement declares in the block around it. */
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
