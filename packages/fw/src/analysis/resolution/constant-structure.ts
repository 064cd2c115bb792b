import type { ESTree } from "rolldown/utils";
import { propertyName, quote } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { fail, scalarOf, type Constant, type ConstantValue, type NotConstant } from "./constant-value.ts";

type Evaluate = (node: ESTree.Node) => Constant;

/** Maximum number of elements in a constant list or object. */
const mostItems = 10_000;

export function evaluateArray(module: SourceModule, node: ESTree.ArrayExpression, evaluate: Evaluate): Constant {
  const items: ConstantValue[] = [];
  for (const element of node.elements) {
    if (element === null) return fail(node, "it has a hole");
    const spread = element.type === "SpreadElement";
    const item = evaluate(spread ? element.argument : element);
    if (!item.ok) return item;
    if (!spread) items.push(item.value);
    else if (Array.isArray(item.value)) for (const each of item.value) items.push(each);
    else return fail(element, `${quote(module, element.argument)} is not an array`);
    if (items.length > mostItems) return fail(node, "it is too long");
  }
  return { ok: true, value: items };
}

export function evaluateObject(module: SourceModule, node: ESTree.ObjectExpression, evaluate: Evaluate): Constant {
  const fields = new Map<string, ConstantValue>();
  for (const property of node.properties) {
    const failure =
      property.type === "SpreadElement"
        ? addSpread(module, property, evaluate, fields)
        : addField(module, property, evaluate, fields);
    if (failure) return failure;
    if (fields.size > mostItems) return fail(node, "it is too long");
  }
  return { ok: true, value: Object.fromEntries(fields) };
}

function addSpread(
  module: SourceModule,
  node: ESTree.SpreadElement,
  evaluate: Evaluate,
  fields: Map<string, ConstantValue>,
): NotConstant | undefined {
  const spread = evaluate(node.argument);
  if (!spread.ok) return spread;
  if (!isRecord(spread.value)) return fail(node, `${quote(module, node.argument)} is not an object`);
  for (const [name, value] of Object.entries(spread.value)) fields.set(name, value);
  return undefined;
}

function addField(
  module: SourceModule,
  node: ESTree.ObjectProperty,
  evaluate: Evaluate,
  fields: Map<string, ConstantValue>,
): NotConstant | undefined {
  const name = node.computed ? keyOf(module, node.key, evaluate) : propertyName(node);
  if (typeof name === "object") return name;
  if (name === undefined || node.kind !== "init" || node.method)
    return fail(node, `${quote(module, node)} is only known at run time`);
  if (name === "__proto__") return fail(node, "`__proto__` is not allowed as a key");
  const value = evaluate(node.value);
  if (!value.ok) return value;
  fields.set(name, value.value);
  return undefined;
}

function keyOf(module: SourceModule, node: ESTree.Node, evaluate: Evaluate): string | NotConstant {
  const key = scalarOf(module, node, evaluate(node));
  return key.ok ? String(key.value) : key;
}

function isRecord(value: ConstantValue): value is { readonly [key: string]: ConstantValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
