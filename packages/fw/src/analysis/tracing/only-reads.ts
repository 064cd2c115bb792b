import type { ESTree } from "rolldown/utils";
import { named } from "../queries/names.ts";
import { isFunction, isWrapper, keyOf, propertyName, unwrap, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { isAssigned } from "../symbols/access.ts";
import type { Step } from "../symbols/table.ts";
import { isValue, typeKeys } from "../symbols/value-position.ts";
import { asking, isReader, visiting } from "./readers.ts";

/** Functions that hand on what they are given, and loops inside each other. */
const deepest = 8;

/** What is given to a function: a literal with the module that it stands in, of which only the shape counts. */
interface Given {
  readonly project: Project;
  /** Undefined where it is not known: whatever is read of it may be an object in turn. */
  readonly literal: ESTree.Node | undefined;
  readonly depth: number;
}

/** True where what a call gives to a function of the application is read there and no more, at any depth. */
export function callOnlyReads(
  project: Project,
  module: SourceModule,
  call: ESTree.CallExpression,
  argument: ESTree.Node,
  literal: ESTree.Node | undefined,
  depth = 0,
): boolean {
  const index = call.arguments.findIndex((each) => each === argument);
  if (index === -1 || depth > deepest || call.arguments.some(({ type }) => type === "SpreadElement")) return false;
  const callee = unwrap(call.callee);
  const target = isFunction(callee)
    ? { kind: "function" as const, module, node: callee }
    : named(project, module, callee);
  if (target?.kind !== "function") return false;
  return onlyReads(target.module, target.node, index, { project, literal, depth });
}

/** True where a function only reads what one of its parameters is. */
function onlyReads(module: SourceModule, { body, params }: FunctionNode, index: number, given: Given): boolean {
  const parameter = params[index];
  if (!body) return false;
  if (!parameter) return !params.some(({ type }) => (type as string) === "RestElement") && !mentions(body, "arguments");
  return bindsOnlyReads(module, parameter, [body, ...params.slice(index + 1)], given) && !mentions(body, "arguments");
}

/** True where the functions that a call is given, which get what a literal holds, only read all that they are given. */
export function visitorsOnlyRead(
  project: Project,
  module: SourceModule,
  call: ESTree.CallExpression,
  depth = 0,
): boolean {
  const given = { project, literal: undefined, depth };
  return call.arguments.every((each) => {
    const bare = unwrap(each);
    if (!isFunction(bare)) return isPlain(bare);
    return depth <= deepest && bare.params.every((_, index) => onlyReads(module, bare, index, given));
  });
}

/** True where the names of a pattern, which takes a value, only read it in some code. */
export function bindsOnlyReads(
  module: SourceModule,
  pattern: ESTree.Node,
  code: readonly ESTree.Node[],
  given: Given,
): boolean {
  if (pattern.type === "AssignmentPattern") return bindsOnlyReads(module, pattern.left, code, given);
  if (pattern.type === "Identifier") return code.every((each) => nameOnlyReads(module, pattern.name, each, given));
  if (pattern.type === "ArrayPattern") {
    const part = { ...given, literal: undefined };
    return pattern.elements.every((each) => each === null || bindsOnlyReads(module, each, code, part));
  }
  if (pattern.type !== "ObjectPattern") return false;
  return pattern.properties.every((each) => {
    const key = each.type === "Property" ? propertyName(each) : undefined;
    if (each.type !== "Property" || key === undefined) return false;
    return bindsOnlyReads(module, each.value, code, { ...given, literal: writtenMember(given.literal, key) });
  });
}

/** True where no use of a name in some code can change what it stands for. A name that hides it counts as if it were it. */
function nameOnlyReads(module: SourceModule, name: string, code: ESTree.Node, given: Given): boolean {
  return everyUse(code, name, (node, step) => useOnlyReads(module, node, step, given));
}

function useOnlyReads(module: SourceModule, root: ESTree.Node, from: Step, given: Given): boolean {
  let { literal } = given;
  let node = root;
  let step = from;
  let key: string | undefined;
  for (;;) {
    const outer = step.node;
    if (outer.type === "MemberExpression" && outer.object === node) {
      key = keyOf(outer);
      literal = isPlain(literal) ? literal : key === undefined ? undefined : writtenMember(literal, key);
    } else if (!isWrapper(outer)) break;
    if (!step.parent) return false;
    node = outer;
    step = step.parent;
  }
  if (isAssigned({ node, step })) return false;
  const outer = step.node;
  switch (outer.type) {
    case "CallExpression":
      if (outer.callee === node) return methodOnlyReads(module, outer, key, given);
      return (
        isPlain(literal) ||
        isReader(module, outer.callee) ||
        callOnlyReads(given.project, module, outer, node, literal, given.depth + 1)
      );
    case "UnaryExpression":
      return outer.operator !== "delete";
    case "ForOfStatement":
      return (
        outer.right === node &&
        outer.left.type === "VariableDeclaration" &&
        outer.left.declarations.every(({ id }) =>
          bindsOnlyReads(module, id, [outer.body], { ...given, literal: undefined, depth: given.depth + 1 }),
        )
      );
    case "BinaryExpression":
    case "TemplateLiteral":
    case "ExpressionStatement":
    case "IfStatement":
    case "WhileStatement":
    case "SwitchStatement":
    case "ForInStatement":
      return true;
    default:
      return isPlain(literal);
  }
}

/** A method that reads, and functions that it calls with what it reads. */
function methodOnlyReads(
  module: SourceModule,
  call: ESTree.CallExpression,
  method: string | undefined,
  given: Given,
): boolean {
  return asking.has(method) || (visiting.has(method) && visitorsOnlyRead(given.project, module, call, given.depth + 1));
}

/** True for what has no members that could be written to: a text, a number, a function. */
function isPlain(node: ESTree.Node | undefined): boolean {
  const bare = node && unwrap(node);
  return bare !== undefined && (bare.type === "Literal" || bare.type === "TemplateLiteral" || isFunction(bare));
}

function writtenMember(literal: ESTree.Node | undefined, key: string): ESTree.Node | undefined {
  const bare = literal && unwrap(literal);
  if (bare?.type === "ArrayExpression") return bare.elements[Number(key)] ?? undefined;
  if (bare?.type !== "ObjectExpression" || bare.properties.some(({ type }) => type === "SpreadElement"))
    return undefined;
  const found = bare.properties.filter((each) => each.type === "Property" && propertyName(each) === key);
  const [only] = found;
  return found.length === 1 && only?.type === "Property" && only.kind === "init" ? only.value : undefined;
}

function mentions(code: ESTree.Node, name: string): boolean {
  return !everyUse(code, name, () => false);
}

/** True where a test holds for every place of some code that has a name as a value. */
function everyUse(code: ESTree.Node, name: string, holds: (node: ESTree.Node, step: Step) => boolean): boolean {
  const waiting: Step[] = [{ node: code, parent: undefined, scope: undefined, deferred: false }];
  if (code.type === "Identifier") return code.name !== name || holds(code, waiting[0] as Step);
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    const fields = step.node as unknown as Readonly<Record<string, unknown>>;
    for (const key in fields) {
      if (typeKeys.has(key)) continue;
      const value = fields[key];
      for (const each of Array.isArray(value) ? value : [value]) {
        if (typeof each !== "object" || each === null || !("type" in each)) continue;
        const node = each as ESTree.Node;
        if (node.type !== "Identifier") waiting.push({ node, parent: step, scope: undefined, deferred: false });
        else if (node.name === name && isValue(step, key) && !holds(node, step)) return false;
      }
    }
  }
  return true;
}
