import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { grouped } from "../../lib/grouped.ts";
import { propertyName, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import { accessOf, type Access, isAssigned, isLocalAlias, isPassedBy } from "./access.ts";
import { originOf } from "./alias.ts";
import { scopeOf, type LexicalScope, type LocalBinding } from "./scope.ts";
import { collectNames, type NameUse, type NodePath } from "./table.ts";

export type ParameterUse =
  | { readonly kind: "member"; readonly name: string; readonly node: ESTree.Node }
  | { readonly kind: "argument"; readonly argument: PlacedArgument }
  /** Assigns to it, so that the name may hold another value. */
  | { readonly kind: "assigned"; readonly node: ESTree.Node }
  /** Any other use, through which the value cannot be followed. */
  | { readonly kind: "other"; readonly node: ESTree.Node };

export interface Argument {
  readonly call: ESTree.CallExpression;
  readonly index: number;
  /** The scope around the call. */
  readonly scope: LexicalScope | undefined;
}

export interface PlacedArgument extends Argument {
  /** The call with its path from the program. */
  readonly path: NodePath;
}

interface ParameterIndex {
  readonly functions: ReadonlyMap<ESTree.Node, LexicalScope>;
  /** Uses of local names, by the scope that declares them. */
  readonly localUses: ReadonlyMap<LexicalScope, readonly LocalUse[]>;
  /** Uses of `arguments` and `eval`, which can read parameters without naming them. */
  readonly hiddenUses: readonly ESTree.Node[];
}

interface LocalUse extends NameUse {
  readonly owner: LexicalScope;
  readonly name: string;
  /** Members read through aliases of the parameter. */
  readonly path: readonly string[];
}

/** Lists what a function does with the argument at an index, in source order. */
export function parameterUses(module: SourceModule, fn: FunctionNode, index: number): readonly ParameterUse[] {
  const { functions, localUses, hiddenUses } = indexModule(module);
  const scope = functions.get(fn);
  const unseen = fn.type === "ArrowFunctionExpression" ? [] : hiddenUses.filter((each) => isInside(fn, each));
  const others = unseen.map((node): ParameterUse => ({ kind: "other", node }));
  const parameter = parameterAt(fn, index);
  if (parameter === undefined) return others;
  if (parameter.type === "ObjectPattern") return [...others, ...[...parameter.properties].map(propertyUse)];
  if (parameter.type !== "Identifier") return [{ kind: "other", node: parameter }];
  const uses = (scope && localUses.get(scope))?.filter(({ name }) => name === parameter.name) ?? [];
  return [...others, ...redeclarationOf(scope?.names.get(parameter.name)), ...uses.flatMap(parameterUsesAt)];
}

/** Counts a `var` with the same name as an assignment to the parameter. */
function redeclarationOf(binding: LocalBinding | undefined): readonly ParameterUse[] {
  return binding?.declarator === undefined ? [] : [{ kind: "assigned", node: binding.declarator }];
}

/** Lists the uses of an inner scope's constant, in source order. */
export function constantUses(
  module: SourceModule,
  name: string,
  scope: LexicalScope | undefined,
): readonly ParameterUse[] {
  return localUsesOf(module, name, scope).flatMap(parameterUsesAt);
}

/** Returns the accesses to a constant in an inner scope, in source order. */
export function constantAccesses(
  module: SourceModule,
  name: string,
  scope: LexicalScope | undefined,
): readonly Access[] {
  return localUsesOf(module, name, scope).map((use) => accessOf(use));
}

/** Returns the accesses to a named function expression inside its own code. */
export function ownNameAccesses(module: SourceModule, fn: FunctionNode): readonly Access[] {
  const name = fn.type === "FunctionExpression" ? fn.id?.name : undefined;
  if (name === undefined || fn.params.flatMap(patternNames).includes(name)) return [];
  return constantAccesses(module, name, indexModule(module).functions.get(fn));
}

function localUsesOf(module: SourceModule, name: string, scope: LexicalScope | undefined): readonly LocalUse[] {
  const owner = scopeOf(scope, name);
  const uses = owner === undefined ? undefined : indexModule(module).localUses.get(owner);
  return (uses ?? []).filter((use) => use.name === name);
}

const indexModule = cachedByObject((module: SourceModule): ParameterIndex => {
  const { uses, functions } = collectNames(module);
  const inOrder = uses.toSorted((one, other) => one.node.start - other.node.start);
  const hiddenUses = inOrder.filter(isHiddenUse).map(({ node }) => node);
  const localUses = grouped(inOrder.flatMap(localOf), ({ owner }) => owner);
  return { functions, localUses, hiddenUses };
});

function localOf(use: NameUse): readonly LocalUse[] {
  const { scope: owner, root, keys } = originOf(use.node, use.scope) ?? {};
  return owner === undefined || root?.type !== "Identifier"
    ? []
    : [{ ...use, owner, name: root.name, path: keys ?? [] }];
}

function isHiddenUse({ node, scope }: NameUse): boolean {
  if (node.type !== "Identifier") return false;
  return (node.name === "arguments" || node.name === "eval") && scopeOf(scope, node.name) === undefined;
}

function isInside(outer: ESTree.Node, { start, end }: ESTree.Node): boolean {
  return outer.start <= start && end <= outer.end;
}

/**
 * Returns the name, pattern or rest parameter that receives an argument; undefined if none does. A declared `this` is
 * not a parameter.
 */
function parameterAt({ params }: FunctionNode, index: number): ESTree.Node | undefined {
  const own = params.filter((each) => each.type !== "Identifier" || each.name !== "this");
  const last = own.at(-1);
  const parameter = own[index] ?? (last?.type === "RestElement" ? last : undefined);
  return parameter?.type === "AssignmentPattern" ? parameter.left : parameter;
}

function propertyUse(property: ESTree.Node): ParameterUse {
  const name = property.type === "Property" ? propertyName(property) : undefined;
  return name === undefined ? { kind: "other", node: property } : { kind: "member", name, node: property };
}

function parameterUsesAt(local: LocalUse): readonly ParameterUse[] {
  const access = accessOf(local);
  const [name] = [...local.path, ...access.keys];
  const { node, around } = access;
  if (isLocalAlias(local, access)) return [];
  if (name === undefined && isAssigned(local)) return [{ kind: "assigned", node }];
  if (name === undefined && isPassedBy(access)) return [];
  if (name !== undefined) return [{ kind: "member", name, node }];
  const { scope } = around;
  const call = around.node;
  if (call.type !== "CallExpression") return [{ kind: "other", node }];
  const index = call.arguments.findIndex((each) => each === node);
  const isFixedIndex = index !== -1 && call.arguments.slice(0, index).every(({ type }) => type !== "SpreadElement");
  return isFixedIndex
    ? [{ kind: "argument", argument: { call, index, scope, path: around } }]
    : [{ kind: "other", node }];
}
