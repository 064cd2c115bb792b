import type { ESTree } from "rolldown/utils";
import { keyOf, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { keysTo } from "../symbols/alias.ts";
import { resolveName } from "./resolve-name.ts";
import { namedDeclaration, type NamedDeclaration } from "./named-declaration.ts";

/** A declaration or one of its events: `photos.uploaded`. */
export interface NamedSource {
  readonly declaration: NamedDeclaration;
  readonly event?: string;
}

/** Maximum length of a chain of names before an event. */
const longestChain = 20;

/** Resolves a top-level expression that should name a source of messages. */
export function namedSource(
  project: Project,
  module: SourceModule,
  node: ESTree.Node,
  depth: number = longestChain,
): NamedSource {
  const declaration = namedDeclaration(project, module, node);
  const bare = unwrap(node);
  if (declaration.kind !== "other" || depth === 0) return { declaration };
  if (bare.type === "Identifier") {
    const member = constantNamed(project, module, bare.name);
    if (member) return namedSource(project, member.module, member.node, depth - 1);
    return destructured(project, module, bare.name) ?? { declaration };
  }
  const event = bare.type === "MemberExpression" ? keyOf(bare) : undefined;
  if (bare.type !== "MemberExpression" || event === undefined) return { declaration };
  const object = namedDeclaration(project, module, bare.object);
  return object.kind === "other" ? { declaration } : { declaration: object, event };
}

/** Resolves a name that a pattern binds to an event: `const { uploaded } = photos`. Undefined for any other name. */
function destructured(project: Project, module: SourceModule, name: string): NamedSource | undefined {
  const resolved = resolveName(project, module, name);
  if (resolved.kind !== "binding" || resolved.binding.kind !== "pattern" || resolved.binding.mutable) return undefined;
  const { id, init } = resolved.binding.node;
  const [event, ...deeper] = keysTo(id, resolved.binding.name) ?? [];
  if (init === null || event === undefined || deeper.length > 0) return undefined;
  const declaration = namedDeclaration(project, resolved.module, init);
  return declaration.kind === "other" ? undefined : { declaration, event };
}

/** Returns a constant's initializer if it is a name or a member access; otherwise undefined. */
function constantNamed(
  project: Project,
  module: SourceModule,
  name: string,
): { readonly module: SourceModule; readonly node: ESTree.Node } | undefined {
  const resolved = resolveName(project, module, name);
  if (resolved.kind !== "binding" || resolved.binding.kind !== "variable" || resolved.binding.mutable) return undefined;
  const { init } = resolved.binding.node;
  const value = init && unwrap(init);
  const leads = value?.type === "MemberExpression" || value?.type === "Identifier";
  return value && leads ? { module: resolved.module, node: value } : undefined;
}
