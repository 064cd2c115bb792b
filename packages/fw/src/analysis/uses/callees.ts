import type { ESTree } from "rolldown/utils";
import { declarationKey } from "../../model/declarations.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import { isFunction, unwrapFrozen, unwrap, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { chainOf, originOf, type Chain } from "../symbols/alias.ts";
import type { Argument } from "../symbols/parameters.ts";
import type { LexicalScope } from "../symbols/scope.ts";
import { partNamed } from "./parts.ts";
import { plainMember, targetsOf, type Target } from "./targets.ts";

export interface PlacedFunction {
  readonly module: SourceModule;
  readonly fn: FunctionNode;
}

export type Callee =
  /** A function, with the index of the argument. */
  | (PlacedFunction & { readonly kind: "function"; readonly index: number })
  /** Another top-level binding of a module, by `declarationKey`. */
  | {
      readonly kind: "binding";
      readonly key: string;
      /** The called member; undefined for deeper members. */
      readonly operation: string | undefined;
    };

/** An expression, with the scope of its names. */
interface ScopedNode {
  readonly module: SourceModule;
  readonly node: ESTree.Node;
  readonly scope: LexicalScope | undefined;
}

/** Finds the functions and bindings that receive an argument; empty if unknown. */
export function calleesOf(project: Project, module: SourceModule, argument: Argument): readonly Callee[] {
  const { call, index, scope } = argument;
  const callee = { module, node: call.callee, scope };
  const fn = functionOf(project, callee);
  if (fn) return [{ kind: "function", ...fn, index }];
  const inner = innermostChain(call.callee);
  if (!inner) return [];
  const origin = originOf(inner.chain.root, scope);
  if (!origin || origin.scope !== undefined) return [];
  const chain = { root: origin.root, keys: [...origin.keys, ...inner.chain.keys] };
  if (inner.whole && isTransaction(project, module, chain)) return insideTransaction(project, callee, argument);
  return originalTargets(project, module, chain).map(({ module: path, name, keys }) => ({
    kind: "binding",
    key: declarationKey({ module: path, variable: name }),
    operation: inner.whole && keys.length === 1 ? keys[0] : undefined,
  }));
}

/** Resolves an expression to a function; undefined if unknown. */
export function functionOf(project: Project, { module, node, scope }: ScopedNode): PlacedFunction | undefined {
  const bare = unwrap(node);
  if (isFunction(bare)) return { module, fn: bare };
  const chain = chainOf(bare);
  const origin = chain && originOf(chain.root, scope);
  if (!origin) return undefined;
  const keys = [...origin.keys, ...chain.keys];
  if (origin.scope !== undefined) return keys.length > 0 ? undefined : localFunction(module, origin.scope, origin.root);
  const [target, ...others] = originalTargets(project, module, { root: origin.root, keys });
  return target && others.length === 0 ? functionAt(project, target) : undefined;
}

function localFunction(module: SourceModule, scope: LexicalScope, root: Chain["root"]): PlacedFunction | undefined {
  const local = root.type === "Identifier" ? scope.names.get(root.name) : undefined;
  const init = local?.kind === "const" && local.declarator?.id.type === "Identifier" && local.declarator.init;
  const fn = init ? unwrap(init) : undefined;
  return fn && isFunction(fn) ? { module, fn } : undefined;
}

/** Returns the targets of a chain, without constants that only rename something. */
function originalTargets(project: Project, module: SourceModule, { root, keys }: Chain): readonly Target[] {
  const from = root.type === "Identifier" ? root.name : root.source;
  return targetsOf(project, module, { root: from, keys }).filter(({ name }) => name !== "");
}

/** Resolves a binding, or a member of a literal, to a function; undefined for other values and mutable bindings. */
export function functionAt(project: Project, { module: path, name, keys }: Target): PlacedFunction | undefined {
  const module = project.module(path);
  const part = module && partNamed(module, name);
  if (!part || isMutable(module, name)) return undefined;
  const [key, ...more] = keys;
  if (more.length > 0) return undefined;
  const value = key === undefined ? unwrap(part.node) : plainMember(module, unwrapFrozen(module, part.node), key);
  const fn = value && unwrap(value);
  return fn && isFunction(fn) ? { module, fn } : undefined;
}

function isMutable(module: SourceModule, name: string): boolean {
  const binding = module.bindings.get(name);
  return (binding?.kind === "variable" || binding?.kind === "pattern") && binding.mutable;
}

/**
 * Returns the member chain at the start of a callee: all of it, or the part before a call (`orders.query().all`).
 * Undefined if the callee starts with another expression.
 */
function innermostChain(callee: ESTree.Node): { readonly chain: Chain; readonly whole: boolean } | undefined {
  let node = unwrap(callee);
  for (let whole = true; ; whole = false) {
    const chain = chainOf(node);
    if (chain) return { chain, whole };
    if (node.type === "MemberExpression") node = unwrap(node.object);
    else if (node.type === "CallExpression") node = unwrap(node.callee);
    else return undefined;
  }
}

function isTransaction(project: Project, module: SourceModule, { root, keys }: Chain): boolean {
  const resolved = root.type === "Identifier" ? resolveName(project, module, root.name) : undefined;
  return resolved?.kind === "fw" && [resolved.name, ...keys].filter((key) => key !== "*").join(".") === "transaction";
}

/** Returns the function of a transaction, which receives the same context. */
function insideTransaction(
  project: Project,
  { module, scope }: ScopedNode,
  { call, index }: Argument,
): readonly Callee[] {
  const run = index === 0 ? call.arguments[1] : undefined;
  const fn = run && functionOf(project, { module, node: run, scope });
  return fn ? [{ kind: "function", ...fn, index: 0 }] : [];
}
