import type { ESTree } from "rolldown/utils";
import { grouped } from "../../lib/grouped.ts";
import { propertyName, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { accessOf, isAssigned, isLocalAlias, isPassedBy } from "./access.ts";
import { originOf } from "./alias.ts";
import { scopeOf, type Scope } from "./scope.ts";
import { passOver, type Named } from "./table.ts";

/** What a function does in one place with what it was given. */
export type ParameterUse =
  /** Reads a member of it. */
  | { readonly kind: "member"; readonly name: string; readonly node: ESTree.Node }
  /** Hands it on as an argument. */
  | { readonly kind: "argument"; readonly argument: Argument }
  /** Anything else: nobody can tell where it goes. */
  | { readonly kind: "other"; readonly node: ESTree.Node };

/** An argument of a call. */
export interface Argument {
  readonly call: ESTree.CallExpression;
  readonly index: number;
  /** The scope around the call. */
  readonly scope: Scope | undefined;
}

interface Known {
  readonly functions: ReadonlyMap<ESTree.Node, Scope>;
  /** Names that a scope has, where no constant stands for something else by them. */
  readonly local: ReadonlyMap<Scope, readonly Local[]>;
  /** Where a function may be given more than its parameters name, or code that is not written here runs. */
  readonly hidden: readonly ESTree.Node[];
}

interface Local extends Named {
  /** The scope that has the name. */
  readonly owner: Scope;
  readonly name: string;
  /** The members of it that constants, by which it is named here, stand for. */
  readonly path: readonly string[];
}

const known = new WeakMap<SourceModule, Known>();

/** What a function does with its argument at an index, in source order. */
export function parameterUses(module: SourceModule, fn: FunctionNode, index: number): readonly ParameterUse[] {
  const { functions, local, hidden } = read(module);
  const scope = functions.get(fn);
  const unseen = fn.type === "ArrowFunctionExpression" ? [] : hidden.filter((each) => isInside(fn, each));
  const others = unseen.map((node): ParameterUse => ({ kind: "other", node }));
  const parameter = parameterAt(fn, index);
  if (parameter === undefined) return others;
  if (parameter.type === "ObjectPattern") return [...others, ...[...parameter.properties].map(takenApart)];
  if (parameter.type !== "Identifier") return [{ kind: "other", node: parameter }];
  const named = (scope && local.get(scope))?.filter(({ name }) => name === parameter.name) ?? [];
  return [...others, ...named.flatMap(useOf)];
}

function read(module: SourceModule): Known {
  const before = known.get(module);
  if (before) return before;
  const { named, functions } = passOver(module);
  const inOrder = named.toSorted((one, other) => one.node.start - other.node.start);
  const hidden = inOrder.filter(isHiding).map(({ node }) => node);
  const local = grouped(inOrder.flatMap(localOf), ({ owner }) => owner);
  const found = { functions, local, hidden };
  known.set(module, found);
  return found;
}

function localOf(named: Named): readonly Local[] {
  const { scope: owner, root, keys } = originOf(named.node, named.scope) ?? {};
  return owner === undefined || root?.type !== "Identifier"
    ? []
    : [{ ...named, owner, name: root.name, path: keys ?? [] }];
}

function isHiding({ node, scope }: Named): boolean {
  if (node.type !== "Identifier") return false;
  return (node.name === "arguments" || node.name === "eval") && scopeOf(scope, node.name) === undefined;
}

function isInside(outer: ESTree.Node, { start, end }: ESTree.Node): boolean {
  return outer.start <= start && end <= outer.end;
}

/** The pattern that takes an argument, or the rest that it is part of; a `this` that is only a type is no parameter. */
function parameterAt({ params }: FunctionNode, index: number): ESTree.Node | undefined {
  const own = params.filter((each) => each.type !== "Identifier" || each.name !== "this");
  const last = own.at(-1);
  const found = own[index] ?? (last?.type === "RestElement" ? last : undefined);
  return found?.type === "AssignmentPattern" ? found.left : found;
}

function takenApart(property: ESTree.Node): ParameterUse {
  const name = property.type === "Property" ? propertyName(property) : undefined;
  return name === undefined ? { kind: "other", node: property } : { kind: "member", name, node: property };
}

function useOf(local: Local): readonly ParameterUse[] {
  const access = accessOf(local);
  const [name] = [...local.path, ...access.keys];
  if (isLocalAlias(local, access) || (name === undefined && (isAssigned(local) || isPassedBy(access)))) return [];
  const { node, around } = access;
  if (name !== undefined) return [{ kind: "member", name, node }];
  const { scope } = around;
  const call = around.node;
  if (call.type !== "CallExpression") return [{ kind: "other", node }];
  const index = call.arguments.findIndex((each) => each === node);
  const isKnown = index !== -1 && call.arguments.slice(0, index).every(({ type }) => type !== "SpreadElement");
  return isKnown ? [{ kind: "argument", argument: { call, index, scope } }] : [{ kind: "other", node }];
}
