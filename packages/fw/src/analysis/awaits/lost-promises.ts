import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { declarationKey } from "../../model/declarations.ts";
import { declarationKinds, type DeclarationKind } from "../../model/kinds.ts";
import type { DeclaredModule } from "../declared.ts";
import type { LostPromise } from "../readers/lost-promise.ts";
import { isFunction, isWrapper, keyOf, quote, unwrap } from "../source/expression.ts";
import type { SourceModule, SourceNode } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { accessOf } from "../symbols/access.ts";
import { symbolsOf, type NodePath, type Reference } from "../symbols/table.ts";
import { targetsOf, transactions, type Target } from "../uses/targets.ts";
import { returnsPromise } from "./promised.ts";

/** A call whose result the code drops: a lost promise if it is an operation that returns a promise. */
interface DroppedCall extends Pick<Reference, "root"> {
  readonly keys: readonly string[];
  /** The last method of a chain such as `orders.query().all(ctx)`; undefined for a single call. */
  readonly method: string | undefined;
  readonly promise: LostPromise;
  /** The `forEach` call around the promise, if code uses its result. Only types show whether it waits. */
  readonly unclear: SourceNode | undefined;
}

/** A promise inside a `forEach` call, lost if the type shows that it is the `forEach` of a list. */
export interface UnclearPromise {
  readonly promise: LostPromise;
  readonly forEach: SourceNode;
}

interface LostPromises {
  readonly lost: readonly LostPromise[];
  readonly unclear: readonly UnclearPromise[];
}

/** Finds operations of fw whose promises nothing awaits, so that the handler may finish before them. */
export function lostPromises(project: Project, modules: readonly DeclaredModule[]): LostPromises {
  const kinds = kindsOf(modules);
  const calls = modules.flatMap(({ module }) =>
    droppedCalls(module).filter(({ root, keys, method }) =>
      targetsOf(project, module, { root, keys }).some((target) => isPromised(kinds, target, method)),
    ),
  );
  return {
    lost: calls.flatMap(({ promise, unclear }) => (unclear ? [] : promise)),
    unclear: calls.flatMap(({ promise, unclear }) => (unclear ? { promise, forEach: unclear } : [])),
  };
}

function kindsOf(modules: readonly DeclaredModule[]): ReadonlyMap<string, DeclarationKind> {
  return new Map(
    modules.flatMap(({ module, declared }) =>
      declared.flatMap(({ call: { variable, name } }) =>
        variable === undefined
          ? []
          : [[declarationKey({ module: module.path, variable }), declarationKinds[name]] as const],
      ),
    ),
  );
}

function isPromised(kinds: ReadonlyMap<string, DeclarationKind>, target: Target, method: string | undefined): boolean {
  if (target === transactions) return method === undefined;
  const kind = kinds.get(declarationKey({ module: target.module, variable: target.name }));
  const path = method === undefined ? target.keys : [...target.keys, method];
  return kind !== undefined && returnsPromise(kind, path.join("."));
}

/** Finds the dropped calls of top-level names and their members, using only the module's syntax. */
const droppedCalls: (module: SourceModule) => readonly DroppedCall[] = cachedByObject((module) =>
  symbolsOf(module).references.flatMap((reference) => droppedCallOf(module, reference) ?? []),
);

function droppedCallOf(module: SourceModule, reference: Reference): DroppedCall | undefined {
  const { keys, isCalled, around } = accessOf(reference);
  if (!isCalled || around.parent === undefined) return undefined;
  const { call, method } = lastCallOf({ ...around, parent: around.parent });
  const drop = dropOf(call);
  if (drop === undefined) return undefined;
  const { value, drops, unclear } = drop;
  const node = drops === "statement" ? value.node : call.node;
  const promise = { text: quote(module, node), at: spanOf(module, node), drops, fix: fixOf(module, drop) };
  return {
    root: reference.root,
    keys: [...reference.path, ...keys],
    method,
    promise,
    unclear: unclear && { module, node: unclear.node },
  };
}

/** The path of a node other than the module's root, which has a parent. */
interface InnerPath extends NodePath {
  readonly parent: NodePath;
}

/** Follows a chain of calls to the last one, which runs the operation: `orders.query().where(…).all(ctx)`. */
function lastCallOf(first: InnerPath): { readonly call: InnerPath; readonly method: string | undefined } {
  let call = first;
  let method: string | undefined;
  for (;;) {
    const next = methodCallOn(call);
    if (next === undefined || promiseMethods.has(next.method)) return { call, method };
    ({ call, method } = next);
  }
}

const promiseMethods: ReadonlySet<string> = new Set(["then", "catch", "finally"]);

/** Returns the method call whose object is the value: `value.method()`. Undefined if there is none. */
function methodCallOn(value: InnerPath): { readonly call: InnerPath; readonly method: string } | undefined {
  const { node, parent } = outsideWrappers(value);
  const call = parent.parent;
  if (parent.node.type !== "MemberExpression" || parent.node.object !== node) return undefined;
  const method = keyOf(parent.node);
  const isCalled = call?.node.type === "CallExpression" && call.node.callee === parent.node;
  return isCalled && call.parent && method !== undefined
    ? { call: { ...call, parent: call.parent }, method }
    : undefined;
}

/** Skips the parentheses, type assertions and `!` around a value. */
function outsideWrappers(value: InnerPath): InnerPath {
  let path = value;
  while (isWrapper(path.parent.node) && path.parent.parent) path = { ...path.parent, parent: path.parent.parent };
  return path;
}

/** The place where code drops a promise. */
interface Drop extends Pick<LostPromise, "drops"> {
  /** The outermost promise, the call of `forEach`, or the list of promises that `map` returns. */
  readonly value: InnerPath;
  /** A call of `forEach` whose result the code uses: some streams have a `forEach` that waits for its callback. */
  readonly unclear?: InnerPath;
}

/**
 * Follows a promise outward to where the code drops it; undefined if something may wait for it or handles its failure,
 * or if `void` drops it deliberately.
 */
function dropOf(promise: InnerPath): Drop | undefined {
  let value = promise;
  let drops: Drop["drops"] = "statement";
  let forEach: InnerPath | undefined;
  const usedAt = ({ node }: NodePath): Drop | undefined =>
    forEach && !isVoid(node) ? { value: forEach, drops: "forEach", unclear: forEach } : undefined;
  for (let at = promise; ;) {
    const path = outsideWrappers(at);
    const { node } = path;
    const outer = path.parent;
    const fn = resultOwner(outer, node);
    if (fn) {
      const callback = callbackOf(fn);
      if (callback === undefined) return usedAt(outer);
      if (callback.drops === "forEach") forEach ??= callback.call;
      // A list around a `forEach` cannot wait for the promises inside it.
      if (drops !== "forEach" && callback.drops !== "statement") drops = callback.drops;
      at = value = callback.call;
    } else if (isDiscarded(outer.node, node)) return { value, drops };
    else if (!outer.parent) return usedAt(outer);
    else if (passesOn(outer.node, node)) at = { ...outer, parent: outer.parent };
    else {
      const next = (drops === "statement" ? unhandledChain(path) : undefined) ?? combinedPromise(path);
      if (next === undefined) return usedAt(outer);
      drops = "statement";
      at = value = next;
    }
  }
}

function isVoid(node: ESTree.Node): boolean {
  return node.type === "UnaryExpression" && node.operator === "void";
}

/**
 * Returns the function that returns the value, or the async function that awaits it without catching its failure.
 * Undefined for any other position.
 */
function resultOwner(outer: NodePath, node: ESTree.Node): InnerPath | undefined {
  if (outer.node.type === "ArrowFunctionExpression")
    return outer.node.body === node && outer.parent ? { ...outer, parent: outer.parent } : undefined;
  if (outer.node.type === "ReturnStatement") return functionAround(outer);
  const fn = outer.node.type === "AwaitExpression" && !isCaught(outer) ? functionAround(outer) : undefined;
  return fn && isFunction(fn.node) && fn.node.async ? fn : undefined;
}

/** True inside a `try` with a `catch`, in the same function. */
function isCaught(inside: NodePath): boolean {
  for (let { node, parent } = inside; parent && !isFunction(node); { node, parent } = parent)
    if (parent.node.type === "TryStatement" && parent.node.block === node && parent.node.handler) return true;
  return false;
}

function functionAround(inside: NodePath): InnerPath | undefined {
  for (let at = inside.parent; at; at = at.parent)
    if (isFunction(at.node)) return at.parent && { ...at, parent: at.parent };
  return undefined;
}

/**
 * Finds the call that runs a function immediately: a list method, or a call of the function itself; undefined for other
 * functions.
 */
function callbackOf(fn: InnerPath): (Pick<Drop, "drops"> & { readonly call: InnerPath }) | undefined {
  const { node, parent } = outsideWrappers(fn);
  if (parent.node.type !== "CallExpression" || parent.parent === undefined) return undefined;
  const call = { ...parent, parent: parent.parent };
  if (parent.node.callee === node) return { call, drops: "statement" };
  const callee = unwrap(parent.node.callee);
  const drops = callee.type === "MemberExpression" ? listMethods.get(keyOf(callee)) : undefined;
  return drops && parent.node.arguments[0] === node ? { call, drops } : undefined;
}

const listMethods: ReadonlyMap<string | undefined, Drop["drops"]> = new Map([
  ["forEach", "forEach"],
  ["map", "map"],
  ["flatMap", "map"],
]);

/** True if the node's value is discarded: it is a statement, or not the last expression of a sequence. */
function isDiscarded(outer: ESTree.Node, node: ESTree.Node): boolean {
  if (outer.type === "SequenceExpression") return outer.expressions.at(-1) !== node;
  return outer.type === "ExpressionStatement";
}

/** True for an operand that can become the outer expression's value, except the left operand of a logical operator. */
function passesOn(outer: ESTree.Node, node: ESTree.Node): boolean {
  if (outer.type === "LogicalExpression") return outer.right === node;
  if (outer.type === "ConditionalExpression") return outer.test !== node;
  return outer.type === "SequenceExpression";
}

/** Returns `promise.then(…)` or `promise.finally(…)`, unless it handles failures. */
function unhandledChain(promise: InnerPath): InnerPath | undefined {
  const next = methodCallOn(promise);
  if (next?.call.node.type !== "CallExpression") return undefined;
  const { call, method } = next;
  return method === "finally" || (method === "then" && next.call.node.arguments.length < 2) ? call : undefined;
}

/**
 * Returns the `Promise.all(…)`, or another combinator, that receives the value or an array literal around it; undefined
 * without one.
 */
function combinedPromise(value: InnerPath): InnerPath | undefined {
  const isElement = value.parent.node.type === "ArrayExpression" && value.parent.parent !== undefined;
  const list = isElement && value.parent.parent ? { ...value.parent, parent: value.parent.parent } : value;
  const { node, parent } = outsideWrappers(list);
  if (parent.node.type !== "CallExpression" || parent.node.arguments[0] !== node) return undefined;
  const callee = unwrap(parent.node.callee);
  const isCombined =
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    callee.object.name === "Promise" &&
    combinators.has(keyOf(callee) ?? "");
  return isCombined && parent.parent ? { ...parent, parent: parent.parent } : undefined;
}

const combinators: ReadonlySet<string> = new Set(["all", "allSettled", "race", "any"]);

/**
 * Returns the edits that insert `await`, or `await Promise.all(…)` around a list; undefined outside an async function,
 * and for a `forEach`, which must become another loop.
 */
function fixOf(module: SourceModule, { value, drops }: Drop): LostPromise["fix"] {
  const fn = functionAround(value)?.node;
  if (drops === "forEach" || !fn || !isFunction(fn) || !fn.async) return undefined;
  const { start, end } = value.node;
  const isList = drops === "map";
  const before = { at: spanOf(module, { start, end: start }), text: isList ? "await Promise.all(" : "await " };
  return isList ? [before, { at: spanOf(module, { start: end, end }), text: ")" }] : [before];
}
