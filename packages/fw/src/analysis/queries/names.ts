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

/** What an expression of the top level stands for, as far as queries are concerned. */
export type Named =
  | { readonly kind: "entity"; readonly entities: readonly DeclarationKey[] }
  | { readonly kind: "function"; readonly module: SourceModule; readonly node: FunctionNode }
  /** A constant of the top level, which may be a query. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Node }
  | undefined;

/** What a name, or a member of a namespace or literal, means at the top level of a module. */
export function named(project: Project, module: SourceModule, node: ESTree.Node): Named {
  const bare = unwrap(node);
  if (bare.type === "Identifier") return meant(project, resolveName(project, module, bare.name));
  const key = bare.type === "MemberExpression" ? keyOf(bare) : undefined;
  if (bare.type !== "MemberExpression" || key === undefined) return undefined;
  return member(project, module, new ReferenceResolver(project).resolve(module, bare.object), bare, [key]);
}

/** What the members that are read of a name mean. */
export function namedMember(project: Project, module: SourceModule, { root, keys }: Chain): Named {
  if (root.type !== "Identifier") return undefined;
  if (keys.length === 0) return named(project, module, root);
  const object = new ReferenceResolver(project).path(module, root, root.name, keys.slice(0, -1));
  return member(project, module, object, root, keys);
}

function member(
  project: Project,
  module: SourceModule,
  object: Referent,
  at: ESTree.Node,
  keys: readonly string[],
): Named {
  const key = keys.at(-1) ?? "";
  if (object.kind === "namespace") {
    const resolved = resolveExport(project, object.module, key);
    return resolved && meant(project, resolved);
  }
  const whole = new ReferenceResolver(project).memberOf({ module, node: at }, object, key);
  return whole.kind === "expression" ? held(project, whole) : shorthand(project, object, key);
}

function held(project: Project, { module, node }: SourceNode): Named {
  return entityHolding(project, module, node) ?? expression(module, node);
}

/** `{ list }`: a function of a literal by its own name. */
function shorthand(project: Project, object: ReturnType<ReferenceResolver["resolve"]>, key: string): Named {
  if (object.kind !== "expression" || object.node.type !== "ObjectExpression") return undefined;
  const value = new ReferenceResolver(project).property(object, key);
  return value && "node" in value && value.node.type === "Identifier"
    ? named(project, value.module, value.node)
    : undefined;
}

function meant(project: Project, resolved: Resolved): Named {
  if (resolved.kind === "expression") return expression(resolved.module, resolved.node);
  if (resolved.kind !== "binding") return undefined;
  const { module, binding } = resolved;
  if (binding.kind === "function") return { kind: "function", module, node: binding.node };
  if ((binding.kind !== "variable" && binding.kind !== "pattern") || !binding.node.init) return undefined;
  if (binding.mutable && symbolsOf(module).byName.get(binding.name)?.some(isAssigned)) return undefined;
  if (binding.kind === "pattern") {
    const [chain, keys] = [chainOf(binding.node.init), keysTo(binding.node.id, binding.name)];
    return chain && keys && namedMember(project, module, { root: chain.root, keys: [...chain.keys, ...keys] });
  }
  if (isEntity(project, module, binding.node.init))
    return { kind: "entity", entities: [{ module: module.path, variable: binding.name }] };
  return expression(module, binding.node.init);
}

function expression(module: SourceModule, node: ESTree.Node): Named {
  const bare = unwrap(node);
  return isFunction(bare) ? { kind: "function", module, node: bare } : { kind: "expression", module, node: bare };
}

/** The entity whose declaration a node is. */
function entityHolding(project: Project, module: SourceModule, node: ESTree.Node): Named {
  if (!isEntity(project, module, node)) return undefined;
  for (const binding of module.bindings.values()) {
    if (binding.kind === "variable" && binding.node.init && unwrap(binding.node.init) === unwrap(node))
      return { kind: "entity", entities: [{ module: module.path, variable: binding.name }] };
  }
  return undefined;
}

/** A call of one of fw's own functions, such as another declaration. */
export function isOfFramework(project: Project, module: SourceModule, { callee }: ESTree.CallExpression): boolean {
  return new ReferenceResolver(project).resolve(module, callee).kind === "fw";
}

function isEntity(project: Project, module: SourceModule, node: ESTree.Node): boolean {
  const call = unwrap(node);
  if (call.type !== "CallExpression") return false;
  const referent = new ReferenceResolver(project).resolve(module, call.callee);
  return referent.kind === "fw" && referent.name === "Entity";
}
