import type { ESTree } from "rolldown/utils";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { resolveExport, resolveName, type Resolved } from "../resolution/resolve-name.ts";
import { isWrapper, keyOf } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";

/** Maximum length of a chain of names. */
const mostNames = 20;

/** A type node and its module. */
export interface PlacedType {
  readonly module: SourceModule;
  readonly node: ESTree.TSType;
}

/**
 * Finds the `T` of `Entity<T>(name)`, even if it is applied before the call, as in `const Orders = Entity<Order>` in
 * any module or in a literal. Undefined without one.
 */
export function typeArgumentOf(
  project: Project,
  module: SourceModule,
  call: ESTree.CallExpression,
): PlacedType | undefined {
  const [own] = call.typeArguments?.params ?? [];
  if (own) return { module, node: own };
  let at: SourceNode | undefined = { module, node: call.callee };
  for (let names = 0; at && names < mostNames;) {
    const node: ESTree.Node = at.node;
    if (node.type === "TSInstantiationExpression") {
      const [given] = node.typeArguments.params;
      return given && { module: at.module, node: given };
    }
    if (isWrapper(node)) at = { module: at.module, node: node.expression };
    else {
      at = valueOf(project, at);
      names += 1;
    }
  }
  return undefined;
}

function valueOf(project: Project, { module, node }: SourceNode): SourceNode | undefined {
  if (node.type === "Identifier") return heldBy(resolveName(project, module, node.name));
  const key = node.type === "MemberExpression" ? keyOf(node) : undefined;
  if (node.type !== "MemberExpression" || key === undefined) return undefined;
  const resolver = new ReferenceResolver(project);
  const object = resolver.resolve(module, node.object);
  if (object.kind === "namespace") {
    const exported = resolveExport(project, object.module, key);
    return exported && heldBy(exported);
  }
  const value = object.kind === "expression" ? resolver.property(object, key) : undefined;
  return value && "node" in value ? value : undefined;
}

function heldBy(resolved: Resolved): SourceNode | undefined {
  if (resolved.kind === "expression") return resolved;
  if (resolved.kind !== "binding" || resolved.binding.kind !== "variable") return undefined;
  const { init } = resolved.binding.node;
  return init ? { module: resolved.module, node: init } : undefined;
}
