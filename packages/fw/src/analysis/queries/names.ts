import type { ESTree } from "rolldown/utils";
import { ReferenceResolver, type Referent } from "../resolution/reference-resolver.ts";
import { resolveExport, resolveName, type Resolved } from "../resolution/resolve-name.ts";
import type { DeclarationKey } from "../../model/declaration-ref.ts";
import { isFunction, keyOf, unwrap, type FunctionNode } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { isAssigned } from "../symbols/access.ts";
import { chainOf, keysTo, type Chain } from "../symbols/alias.ts";
import { symbolsOf } from "../symbols/table.ts";

/** The meaning of a top-level expression for queries. */
export type NameMeaning =
  | { readonly kind: "entity"; readonly entities: readonly DeclarationKey[] }
  | { readonly kind: "function"; readonly module: SourceModule; readonly node: FunctionNode }
  /** A top-level constant, which may be a query. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Node }
  | undefined;

/** Resolves a top-level name, or a member of a namespace or literal. */
export function resolveQueryName(project: Project, module: SourceModule, node: ESTree.Node): NameMeaning {
  const bare = unwrap(node);
  if (bare.type === "Identifier") return meaningOf(project, resolveName(project, module, bare.name));
  const key = bare.type === "MemberExpression" ? keyOf(bare) : undefined;
  if (bare.type !== "MemberExpression" || key === undefined) return undefined;
  return memberMeaning(project, module, new ReferenceResolver(project).resolve(module, bare.object), bare, [key]);
}

export function resolveQueryMember(project: Project, module: SourceModule, { root, keys }: Chain): NameMeaning {
  if (root.type !== "Identifier") return undefined;
  if (keys.length === 0) return resolveQueryName(project, module, root);
  const object = new ReferenceResolver(project).path(module, root, root.name, keys.slice(0, -1));
  return memberMeaning(project, module, object, root, keys);
}

function memberMeaning(
  project: Project,
  module: SourceModule,
  object: Referent,
  at: ESTree.Node,
  keys: readonly string[],
): NameMeaning {
  const key = keys.at(-1) ?? "";
  if (object.kind === "namespace") {
    const resolved = resolveExport(project, object.module, key);
    return resolved && meaningOf(project, resolved);
  }
  const whole = new ReferenceResolver(project).memberOf({ module, node: at }, object, key);
  return whole.kind === "expression" ? literalMember(project, whole) : shorthandMember(project, object, key);
}

function literalMember(project: Project, { module, node }: SourceNode): NameMeaning {
  return entityHolding(project, module, node) ?? expressionMeaning(module, node);
}

/** Resolves a shorthand method of a literal: `{ list }`. */
function shorthandMember(project: Project, object: ReturnType<ReferenceResolver["resolve"]>, key: string): NameMeaning {
  if (object.kind !== "expression" || object.node.type !== "ObjectExpression") return undefined;
  const value = new ReferenceResolver(project).property(object, key);
  return value && "node" in value && value.node.type === "Identifier"
    ? resolveQueryName(project, value.module, value.node)
    : undefined;
}

function meaningOf(project: Project, resolved: Resolved): NameMeaning {
  if (resolved.kind === "expression") return expressionMeaning(resolved.module, resolved.node);
  if (resolved.kind !== "binding") return undefined;
  const { module, binding } = resolved;
  if (binding.kind === "function") return { kind: "function", module, node: binding.node };
  if ((binding.kind !== "variable" && binding.kind !== "pattern") || !binding.node.init) return undefined;
  if (binding.mutable && symbolsOf(module).byName.get(binding.name)?.some(isAssigned)) return undefined;
  if (binding.kind === "pattern") {
    const [chain, keys] = [chainOf(binding.node.init), keysTo(binding.node.id, binding.name)];
    return chain && keys && resolveQueryMember(project, module, { root: chain.root, keys: [...chain.keys, ...keys] });
  }
  if (isEntity(project, module, binding.node.init))
    return { kind: "entity", entities: [{ module: module.path, variable: binding.name }] };
  return expressionMeaning(module, binding.node.init);
}

function expressionMeaning(module: SourceModule, node: ESTree.Node): NameMeaning {
  const bare = unwrap(node);
  return isFunction(bare) ? { kind: "function", module, node: bare } : { kind: "expression", module, node: bare };
}

function entityHolding(project: Project, module: SourceModule, node: ESTree.Node): NameMeaning {
  if (!isEntity(project, module, node)) return undefined;
  for (const binding of module.bindings.values()) {
    if (binding.kind === "variable" && binding.node.init && unwrap(binding.node.init) === unwrap(node))
      return { kind: "entity", entities: [{ module: module.path, variable: binding.name }] };
  }
  return undefined;
}

/** True for a call of one of fw's functions. */
export function isOfFramework(project: Project, module: SourceModule, { callee }: ESTree.CallExpression): boolean {
  return new ReferenceResolver(project).resolve(module, callee).kind === "fw";
}

function isEntity(project: Project, module: SourceModule, node: ESTree.Node): boolean {
  const call = unwrap(node);
  if (call.type !== "CallExpression") return false;
  const referent = new ReferenceResolver(project).resolve(module, call.callee);
  return referent.kind === "fw" && referent.name === "Entity";
}
