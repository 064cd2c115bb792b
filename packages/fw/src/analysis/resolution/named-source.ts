import type { ESTree } from "rolldown/utils";
import { keyOf, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { keysTo } from "../symbols/alias.ts";
import { resolveName } from "./resolve-name.ts";
import { namedDeclaration, type NamedDeclaration } from "./named-declaration.ts";

/** A declaration, or something that happens to it: `photos.uploaded`. */
export interface NamedSource {
  readonly named: NamedDeclaration;
  /** The property that is read of it. */
  readonly event?: string;
}

/** Names that lead to names, before one leads to an event. */
const longestChain = 20;

/** What an expression of the top level names, where a source of messages has to be named. */
export function namedSource(
  project: Project,
  module: SourceModule,
  node: ESTree.Node,
  depth: number = longestChain,
): NamedSource {
  const named = namedDeclaration(project, module, node);
  const bare = unwrap(node);
  if (named.kind !== "other" || depth === 0) return { named };
  if (bare.type === "Identifier") {
    const held = constantNamed(project, module, bare.name);
    if (held) return namedSource(project, held.module, held.node, depth - 1);
    return destructured(project, module, bare.name) ?? { named };
  }
  const event = bare.type === "MemberExpression" ? keyOf(bare) : undefined;
  if (bare.type !== "MemberExpression" || event === undefined) return { named };
  const object = namedDeclaration(project, module, bare.object);
  return object.kind === "other" ? { named } : { named: object, event };
}

/** The event that a pattern takes out of a declaration: `const { uploaded } = photos`. */
function destructured(project: Project, module: SourceModule, name: string): NamedSource | undefined {
  const resolved = resolveName(project, module, name);
  if (resolved.kind !== "binding" || resolved.binding.kind !== "pattern" || resolved.binding.mutable) return undefined;
  const { id, init } = resolved.binding.node;
  const [event, ...deeper] = keysTo(id, resolved.binding.name) ?? [];
  if (init === null || event === undefined || deeper.length > 0) return undefined;
  const named = namedDeclaration(project, resolved.module, init);
  return named.kind === "other" ? undefined : { named, event };
}

/** The member that a constant holds. */
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
