import type { ESTree } from "rolldown/utils";
import { memberRoot, unwrap } from "../source/expression.ts";
import type { SourceNode } from "../source/module.ts";
import type { Chain } from "../symbols/alias.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import { isOfFramework, named, namedMember, type Named } from "./names.ts";
import { find, type Scope, type Value } from "./value.ts";
import { Frame } from "./frame.ts";

export function nameValue(node: ESTree.Node & { readonly name: string }, frame: Frame): Value {
  const variable = frame.find(node.name);
  if (!variable) return outside(node, frame);
  if (variable.owner !== frame) variable.captured = true;
  return frame.held(variable);
}

/** A name of the top level, of this module or another. */
export function outside(node: ESTree.Node, frame: Frame): Value {
  return relying(frame, node, () => named(frame.run.project, frame.module, node));
}

/** What members of a name of the top level come to. */
export function outsideMember(chain: Chain, frame: Frame): Value {
  return relying(frame, chain.root, () => namedMember(frame.run.project, frame.module, chain));
}

/** Literals count as constants only where they lead to an entity, or to code that may ask one. */
function relying(frame: Frame, node: ESTree.Node, read: () => Named): Value {
  const { result, literals } = frame.run.project.trackLiterals(read);
  if (literals.length > 0 && mayAsk(result)) frame.run.report.rely(literals, frame.place(node));
  return valueOf(frame, result);
}

function mayAsk(found: Named): boolean {
  if (found === undefined) return false;
  return found.kind === "entity" || asks.test(found.module.text.slice(found.node.start, found.node.end));
}

const asks = /\b(?:query|where|orderBy|sortBy|limit)\b/;

function valueOf(frame: Frame, found: Named): Value {
  if (found?.kind === "function") return { ...found, scope: undefined };
  return found?.kind === "expression" ? constantValue(frame, found) : found;
}

/** A query, or another name of an entity, may be a constant of a module. */
function constantValue({ run }: Frame, { module, node }: SourceNode): Value {
  if (!followed.has(node.type)) return undefined;
  if (run.constants.has(node)) return run.constants.get(node);
  if (node.type === "CallExpression" && isOfFramework(run.project, module, node)) return undefined;
  run.constants.set(node, undefined);
  const value = new Frame(run, { module }).value(node);
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
  const root = memberRoot(node);
  return root.type === "Identifier" && !find(scope, root.name);
}

/** Names that lead to names, before what is asked counts as something that may be an entity. */
const longestChain = 20;

/** True for what comes from a package or from the language: no entity does. */
export function isForeign(node: ESTree.Node, { run, module, scope }: NamesAround, depth = 0): boolean {
  const root = rootOf(node);
  if (root === undefined || depth > longestChain) return false;
  const variable = find(scope, root.name);
  if (variable) {
    if (variable.isPlain) return true;
    const init = variable.init && unwrap(variable.init);
    return init?.type === "ObjectExpression"
      ? root === unwrap(node)
      : init !== undefined && isForeign(init, { run, module, scope }, depth + 1);
  }
  const resolved = resolveName(run.project, module, root.name);
  if (resolved.kind !== "binding") return resolved.kind === "external" || resolved.kind === "unknown";
  const { binding } = resolved;
  if (binding.kind !== "variable" || binding.mutable || !binding.node.init) return false;
  return isForeign(binding.node.init, { run, module: resolved.module, scope: undefined }, depth + 1);
}

type NamesAround = Pick<Frame, "run" | "module" | "scope">;

/** The name that calls and members of an expression begin with. */
function rootOf(node: ESTree.Node): (ESTree.Node & { readonly type: "Identifier"; readonly name: string }) | undefined {
  let root = unwrap(node);
  for (;;) {
    if (root.type === "MemberExpression") root = unwrap(root.object);
    else if (root.type === "CallExpression" || root.type === "NewExpression") {
      if (root.arguments.length > 0) return undefined;
      root = unwrap(root.callee);
    } else if (root.type === "AwaitExpression") root = unwrap(root.argument);
    else return root.type === "Identifier" ? root : undefined;
  }
}
