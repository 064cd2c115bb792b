import type { ESTree } from "rolldown/utils";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { resolveExport, resolveName, type Resolved } from "../resolution/resolve-name.ts";
import type { EntityKey } from "../readers/query.ts";
import { isFunction, unwrap, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";

/** What an expression of the top level stands for, as far as queries are concerned. */
export type Named =
  | { readonly kind: "entity"; readonly entity: EntityKey }
  | { readonly kind: "function"; readonly module: SourceModule; readonly node: FunctionNode }
  /** A constant of the top level, which may be a query. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Node }
  | undefined;

/** What a name, or a member of a namespace or literal, means at the top level of a module. */
export function named(project: Project, module: SourceModule, node: ESTree.Node): Named {
  const bare = unwrap(node);
  if (bare.type === "Identifier") return meant(project, resolveName(project, module, bare.name));
  if (bare.type !== "MemberExpression" || bare.computed || bare.property.type !== "Identifier") return undefined;
  const object = new ReferenceResolver(project).resolve(module, bare.object);
  if (object.kind === "namespace") {
    const resolved = resolveExport(project, object.module, bare.property.name);
    return resolved && meant(project, resolved);
  }
  const referent = new ReferenceResolver(project).resolve(module, bare);
  if (referent.kind !== "expression") return shorthand(project, object, bare.property.name);
  const known = entityHolding(project, referent.module, referent.node);
  return known ?? expression(referent.module, referent.node);
}

/** `{ list }`: a function of a literal by its own name. */
function shorthand(project: Project, object: ReturnType<ReferenceResolver["resolve"]>, key: string): Named {
  if (object.kind !== "expression" || object.node.type !== "ObjectExpression") return undefined;
  const value = new ReferenceResolver(project).property(object, key);
  return value && !("why" in value) && value.node.type === "Identifier"
    ? named(project, value.module, value.node)
    : undefined;
}

function meant(project: Project, resolved: Resolved): Named {
  if (resolved.kind === "expression") return expression(resolved.module, resolved.node);
  if (resolved.kind !== "binding") return undefined;
  const { module, binding } = resolved;
  if (binding.kind === "function") return { kind: "function", module, node: binding.node };
  if (binding.kind !== "variable" || binding.mutable || !binding.node.init) return undefined;
  if (isEntity(project, module, binding.node.init))
    return { kind: "entity", entity: { module: module.path, variable: binding.name } };
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
      return { kind: "entity", entity: { module: module.path, variable: binding.name } };
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
