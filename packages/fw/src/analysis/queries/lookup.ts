import type { ESTree } from "rolldown/utils";
import { unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { openFrame } from "./frame.ts";
import type { Chain } from "../symbols/alias.ts";
import { isOfFramework, named, namedMember, type Named } from "./names.ts";
import type { Run } from "./run.ts";
import { find, type Frame, type Scope, type Value } from "./value.ts";

export function nameValue(run: Run, node: ESTree.Node & { readonly name: string }, frame: Frame): Value {
  const variable = find(frame.scope, node.name);
  if (!variable) return outside(run, node, frame);
  if (variable.owner !== frame.owner) variable.captured = true;
  return frame.state.get(variable);
}

/** A name of the top level, of this module or another. */
export function outside(run: Run, node: ESTree.Node, frame: Frame): Value {
  return valueOf(run, named(run.project, frame.module, node));
}

/** What members of a name of the top level come to. */
export function outsideMember(run: Run, chain: Chain, frame: Frame): Value {
  return valueOf(run, namedMember(run.project, frame.module, chain));
}

function valueOf(run: Run, found: Named): Value {
  if (found?.kind === "function") return { ...found, scope: undefined };
  return found?.kind === "expression" ? constantValue(run, found.module, found.node) : found;
}

/** A query, or another name of an entity, may be a constant of a module. */
function constantValue(run: Run, module: SourceModule, node: ESTree.Node): Value {
  if (!followed.has(node.type)) return undefined;
  if (run.constants.has(node)) return run.constants.get(node);
  if (node.type === "CallExpression" && isOfFramework(run.project, module, node)) return undefined;
  run.constants.set(node, undefined);
  const value = run.value(node, openFrame(module, undefined, new Map()));
  run.constants.set(node, value);
  return value;
}

const followed: ReadonlySet<string> = new Set([
  "CallExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "Identifier",
  "MemberExpression",
]);

/** True where `a` of `a.b.c` is a name of the top level. */
export function rootedOutside(node: ESTree.MemberExpression, scope: Scope | undefined): boolean {
  let root: ESTree.Node = node;
  while (root.type === "MemberExpression") root = unwrap(root.object);
  return root.type === "Identifier" && !find(scope, root.name);
}
