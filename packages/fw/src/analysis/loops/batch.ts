import type { ESTree } from "rolldown/utils";
import type { Entity } from "../../model/entity.ts";
import type { LoopRead } from "../readers/loop-read.ts";
import { isFunction, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { childrenOf } from "../source/nodes-around.ts";
import { spanOf } from "../source/position.ts";
import { chainOf, keysTo } from "../symbols/alias.ts";
import type { LexicalScope } from "../symbols/scope.ts";
import type { NodePath } from "../symbols/table.ts";

/** A loop that contains a read and runs once for each document of a query. */
export interface Loop {
  readonly node: ESTree.Node;
  /** The name or pattern that receives each document. */
  readonly variable: ESTree.Node;
  readonly iterated: ESTree.Expression;
  readonly body: ESTree.Node;
  readonly inside: NodePath;
  readonly around: NodePath | undefined;
  /** The scope in which `iterated` is evaluated. */
  readonly scope: LexicalScope | undefined;
}

/** A call that reads one document, such as `customers.get(ctx, order.customer)`. */
export interface ReadCall {
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  readonly path: NodePath;
  readonly scope: LexicalScope | undefined;
  readonly entity: Entity;
  /** The name that the code uses for the entity. */
  readonly name: string;
  readonly operation: "get" | "find";
}

/**
 * Returns the text of the batch call. Abbreviates the ids unless the list has a name and the loop's variable contains
 * the id.
 */
export function batchText(read: ReadCall, loop: Loop): string {
  const { module, call, name } = read;
  const isComplete = chainOf(loop.iterated) !== undefined && hasOwnId(read, loop);
  return isComplete ? batchCall(read, loop) : `${name}.getMany(${sourceOf(module, call.arguments[0])}, …)`;
}

function batchCall({ module, call, name }: ReadCall, { iterated, variable }: Loop): string {
  const [ctx, id] = call.arguments.map((each) => sourceOf(module, each));
  return `${name}.getMany(${ctx}, ${sourceOf(module, iterated)}.map((${sourceOf(module, variable)}) => ${id}))`;
}

/**
 * Returns the edits that read the documents in one batch: in a `Promise.all` that only reads, or in a `for` loop over a
 * named list. Undefined for other loops.
 */
export function batchFix(read: ReadCall, loop: Loop): LoopRead["fix"] {
  return loop.node.type === "ForOfStatement" ? loopFix(read, loop, loop.node) : promisesFix(read, loop);
}

function promisesFix(read: ReadCall, loop: Loop): LoopRead["fix"] {
  const { module } = read;
  const outer = loop.around?.node;
  if (outer?.type !== "CallExpression" || outer.arguments.length !== 1) return undefined;
  if (sourceOf(module, outer.callee) !== "Promise.all" || !isOnlyRead(read, loop)) return undefined;
  return [{ at: spanOf(module, outer), text: batchCall(read, loop) }];
}

/** True for a `map` call whose function does nothing but read. */
function isOnlyRead({ module, call }: ReadCall, { node, body, inside }: Loop): boolean {
  const isMap = node.type === "CallExpression" && sourceOf(module, node.callee).endsWith(".map");
  const bare = unwrap(body);
  const result = bare.type === "AwaitExpression" ? unwrap(bare.argument) : bare;
  return isMap && result === call && inside.node === body;
}

function loopFix(read: ReadCall, loop: Loop, node: ESTree.ForOfStatement): LoopRead["fix"] {
  const { module, name } = read;
  const awaiting = read.path.parent?.node;
  const list = `${name}Found`;
  if (awaiting?.type !== "AwaitExpression" || !isPlainLoop(read, loop, node)) return undefined;
  if (!readsFirst(read.path.parent, loop) || pausesElsewhere(loop.body, awaiting)) return undefined;
  // The edits declare these two names.
  if (new RegExp(`\\b(?:index|${list})\\b`).test(module.text)) return undefined;
  const indent = /[^\S\n]*$/.exec(module.text.slice(0, node.start))?.[0] ?? "";
  const statement = `const ${list} = await ${batchCall(read, loop)};\n${indent}`;
  return [
    { at: spanOf(module, { start: node.start, end: node.start }), text: statement },
    { at: spanOf(module, loop.variable), text: `[index, ${sourceOf(module, loop.variable)}]` },
    { at: spanOf(module, loop.iterated), text: `${sourceOf(module, loop.iterated)}.entries()` },
    { at: spanOf(module, awaiting), text: `${list}[index]` },
  ];
}

/**
 * True for a loop statement over a named list, directly in a block, with an id that comes from the loop's own variable.
 */
function isPlainLoop(read: ReadCall, loop: Loop, node: ESTree.ForOfStatement): boolean {
  const isList = unwrap(loop.iterated).type === "Identifier" && !node.await;
  return hasOwnId(read, loop) && isList && loop.around?.node.type === "BlockStatement";
}

/** True if the id is read from the loop's variable directly, rather than through another constant. */
function hasOwnId({ call }: ReadCall, { variable }: Loop): boolean {
  const id = call.arguments[1];
  const root = id && chainOf(id)?.root;
  return root?.type === "Identifier" && keysTo(variable, root.name) !== undefined;
}

/** True if each iteration starts with the read, so that no condition or change of the document precedes it. */
function readsFirst(read: NodePath | undefined, { body }: Loop): boolean {
  for (let inside = read; inside !== undefined && inside.node !== body; inside = inside.parent) {
    const outer = inside.parent?.node;
    if (outer === undefined || !runsFirst(outer, inside.node)) return false;
  }
  return true;
}

/** True if a node always evaluates this child, before its other children have an effect. */
function runsFirst(node: ESTree.Node, child: ESTree.Node): boolean {
  switch (node.type) {
    case "BlockStatement":
      return node.body[0] === child;
    case "VariableDeclaration":
      return node.declarations[0] === child;
    case "VariableDeclarator":
      return node.init === child && node.id.type === "Identifier";
    case "IfStatement":
    case "ConditionalExpression":
      return node.test === child;
    case "LogicalExpression":
      return node.left === child;
    case "MemberExpression":
      return node.object === child;
    case "CallExpression":
      return node.callee === child || isPlainCall(node, child);
    case "ExpressionStatement":
    case "ParenthesizedExpression":
    case "ChainExpression":
    case "TSNonNullExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "UnaryExpression":
      return true;
    default:
      return false;
  }
}

/** True for `names.push(child)`, where the callee is a name or its members and the child is the first argument. */
function isPlainCall({ callee, arguments: [first] }: ESTree.CallExpression, child: ESTree.Node): boolean {
  const { type } = callee;
  return first === child && chainOf(callee) !== undefined && (type === "Identifier" || isRequired(callee));
}

/** False for an optional chain such as `names?.push`, which may skip the call and its arguments. */
function isRequired(node: ESTree.Node): boolean {
  return node.type !== "MemberExpression" || (!node.optional && isRequired(node.object));
}

/** True if other code can run between iterations, which may write what the next one would read. */
function pausesElsewhere(node: ESTree.Node, read: ESTree.Node): boolean {
  if (isFunction(node)) return false;
  const isPause = node.type === "AwaitExpression" || node.type === "YieldExpression";
  if ((isPause && node !== read) || (node.type === "ForOfStatement" && node.await)) return true;
  return childrenOf(node).some((child) => pausesElsewhere(child, read));
}

export function sourceOf(module: SourceModule, node: ESTree.Node | undefined): string {
  return node === undefined ? "" : module.text.slice(node.start, node.end);
}
