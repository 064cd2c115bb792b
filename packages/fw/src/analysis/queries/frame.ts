import type { ESTree } from "rolldown/utils";
import type { FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import {
  find,
  type Frame,
  type FunctionValue,
  type Scope,
  type State,
  type UnknownValue,
  type Value,
  type Variable,
} from "./value.ts";

export function openFrame(module: SourceModule, scope: Scope | undefined, state: State, entered = false): Frame {
  return { module, scope, state, entered, owner: {}, returns: [], exits: [] };
}

export function functionValue(node: FunctionNode, { module, scope }: Frame): FunctionValue {
  return { kind: "function", module, node, scope };
}

/** Runs with names of a block in sight. */
export function inScope<T>(frame: Frame, names: readonly string[], run: () => T): T {
  const outer = frame.scope;
  frame.scope = scopeOf(names, outer, frame.owner);
  const result = run();
  frame.scope = outer;
  return result;
}

export function assign(name: string, value: Value | UnknownValue, frame: Frame): void {
  const variable = find(frame.scope, name);
  if (variable) frame.state.set(variable, value);
}

export function scopeOf(names: readonly string[], parent: Scope | undefined, owner: object): Scope {
  const variables = new Map(
    names.map((name): [string, Variable] => [name, { init: undefined, captured: false, owner }]),
  );
  return { variables, parent, owner };
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
