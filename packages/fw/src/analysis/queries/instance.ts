import type { ESTree } from "rolldown/utils";
import { resolveName } from "../resolution/resolve-name.ts";
import { isFunction, keyOf, propertyName, unwrap, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { childrenOf } from "../source/nodes-around.ts";
import { typeKeys } from "../symbols/value-position.ts";
import { Frame } from "./frame.ts";
import { parameterName, reportReturns, runFunction } from "./function.ts";
import { joinStateValues, unknown, type Instance, type UnknownValue, type Value } from "./value.ts";

/** A class at a module's top level. */
interface PlacedClass {
  readonly module: SourceModule;
  readonly node: ESTree.Class;
}

type ClassArguments = readonly (Value | UnknownValue)[];

/** Runs `new C(…)` for an application class, whose methods may use entities that the constructor stores. */
export function runNew(node: ESTree.NewExpression, frame: Frame): void {
  frame.unused(node.callee, notFollowed);
  const values = argumentValues(node.arguments, frame);
  const target = findClass(node.callee, frame);
  if (target && mayQuery(target)) runInstance(target, values, newInstance(), frame);
}

export function runSuper(node: ESTree.CallExpression, frame: Frame): void {
  const values = argumentValues(node.arguments, frame);
  const { self } = frame;
  const parent = self?.superClass && findClass(self.superClass, frame);
  if (parent) runInstance(parent, values, self, frame);
}

export function selfValue(node: ESTree.MemberExpression, frame: Frame): Value {
  const key = selfKey(node);
  const value = key === undefined ? undefined : frame.self?.fields.get(key);
  return value?.kind === "unknown" ? undefined : value;
}

export function assignField(left: ESTree.Node, value: Value, { self }: Frame): void {
  const key = left.type === "MemberExpression" ? selfKey(left) : undefined;
  if (self !== undefined) setField(self, key, value ?? unknown);
}

function setField({ fields, constant }: Instance, key: string | undefined, value: Value | UnknownValue): void {
  if (key === undefined || !constant.has(key)) return;
  fields.set(key, fields.has(key) ? joinStateValues(fields.get(key), value) : value);
}

const notFollowed = "is used where fw cannot follow it";

function newInstance(): Instance {
  return { fields: new Map(), constant: new Set(), superClass: undefined };
}

function argumentValues(nodes: ESTree.CallExpression["arguments"], frame: Frame): ClassArguments {
  return nodes.map((node) => {
    if (node.type === "SpreadElement") return (frame.unused(node.argument, notFollowed), unknown);
    const value = frame.value(node);
    frame.reportEscape(value, node, notFollowed);
    return value ?? unknown;
  });
}

function findClass(node: ESTree.Node, frame: Frame): PlacedClass | undefined {
  const bare = unwrap(node);
  if (bare.type !== "Identifier" || frame.find(bare.name)) return undefined;
  const resolved = resolveName(frame.run.project, frame.module, bare.name);
  if (resolved.kind !== "binding" || resolved.binding.kind !== "class") return undefined;
  return { module: resolved.module, node: resolved.binding.node };
}

function mayQuery({ module, node }: PlacedClass): boolean {
  return node.superClass !== null || module.text.slice(node.start, node.end).includes("query");
}

/** Runs the constructor of a class, then its methods with the fields known by then. */
function runInstance(target: PlacedClass, values: ClassArguments, { fields, constant }: Instance, outer: Frame): void {
  const { module, node } = target;
  const { run } = outer;
  if (run.callStack.includes(node)) return;
  run.callStack.push(node);
  for (const key of constantFields(node)) constant.add(key);
  const frame = new Frame(run, { module, self: { fields, constant, superClass: node.superClass ?? undefined } });
  const properties = node.body.body.flatMap((element) => (isProperty(element) ? [element] : []));
  const lateProperties = properties.filter(({ value }) => value !== null && isFunction(unwrap(value)));
  for (const property of properties) if (!lateProperties.includes(property)) runProperty(property, frame);
  runConstructor(target, values, frame);
  for (const property of lateProperties) runProperty(property, frame);
  for (const element of node.body.body)
    if (element.type === "MethodDefinition" && element.kind !== "constructor" && !element.static)
      runMethod(element.value, frame);
  run.callStack.pop();
}

function runConstructor({ module, node }: PlacedClass, values: ClassArguments, frame: Frame): void {
  const { run, self } = frame;
  const own = constructorOf(node);
  const parent = own || !node.superClass ? undefined : findClass(node.superClass, frame);
  if (parent && self) runInstance(parent, values, self, frame);
  if (!own) return;
  const parameterValues = own.params.map((parameter, index): Value => {
    const value = index < values.length ? values[index] : defaultOf(parameter, frame);
    if (parameter.type === "TSParameterProperty" && self) setField(self, parameterName(parameter), value ?? unknown);
    return value?.kind === "unknown" ? undefined : value;
  });
  runFunction(own, new Frame(run, { module, self }), parameterValues);
}

function defaultOf(parameter: ESTree.ParamPattern, frame: Frame): Value {
  const pattern = parameter.type === "TSParameterProperty" ? parameter.parameter : parameter;
  return pattern.type === "AssignmentPattern" ? frame.value(pattern.right) : undefined;
}

function runMethod(node: FunctionNode, { run, module, self }: Frame): void {
  const inner = new Frame(run, { module, self });
  runFunction(node, inner, []);
  reportReturns(inner, "is returned from a method");
}

function runProperty(property: ESTree.PropertyDefinition, frame: Frame): void {
  if (!property.value) return;
  const value = frame.value(property.value);
  frame.reportEscape(value, property.value, notFollowed);
  if (frame.self) setField(frame.self, fieldName(property), value ?? unknown);
}

function isProperty(element: ESTree.ClassElement): element is ESTree.PropertyDefinition {
  return element.type === "PropertyDefinition" && !element.static;
}

function fieldName(property: ESTree.PropertyDefinition): string | undefined {
  return property.key.type === "PrivateIdentifier" ? `#${property.key.name}` : propertyName(property);
}

function constructorOf({ body }: ESTree.Class): FunctionNode | undefined {
  for (const element of body.body)
    if (element.type === "MethodDefinition" && element.kind === "constructor" && element.value.body)
      return element.value;
  return undefined;
}

/** Lists the `readonly`, `private` and `#` fields that only the constructor assigns. */
function constantFields(node: ESTree.Class): ReadonlySet<string> {
  const fields = new Set<string>();
  const add = (name: string | undefined, isConstant: boolean): void => {
    if (name !== undefined && isConstant) fields.add(name);
  };
  for (const element of node.body.body) {
    if (!isProperty(element)) continue;
    const { key, readonly, accessibility } = element;
    add(fieldName(element), readonly === true || accessibility === "private" || key.type === "PrivateIdentifier");
  }
  const constructorNode = constructorOf(node);
  for (const parameter of constructorNode?.params ?? []) {
    if (parameter.type === "TSParameterProperty")
      add(parameterName(parameter), parameter.readonly || parameter.accessibility === "private");
  }
  for (const key of assignedFields(node.body, constructorNode)) fields.delete(key);
  return fields;
}

/** Lists the fields that are assigned outside the constructor or by a function inside it. */
function assignedFields(body: ESTree.Node, constructorNode: FunctionNode | undefined): readonly string[] {
  const keys: string[] = [];
  const waiting = [{ node: body, isConstructor: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next;
    const isConstructor = node === constructorNode || (next.isConstructor && !isFunction(node));
    const key = isConstructor ? undefined : assignedKey(node);
    if (key !== undefined) keys.push(key);
    for (const child of childrenOf(node, typeKeys)) waiting.push({ node: child, isConstructor });
  }
  return keys;
}

function assignedKey(node: ESTree.Node): string | undefined {
  if (node.type !== "AssignmentExpression" || node.left.type !== "MemberExpression") return undefined;
  return selfKey(node.left);
}

/** Returns the name of a member of `this`, including the `#` of a private one; undefined for other expressions. */
function selfKey(node: ESTree.MemberExpression): string | undefined {
  if (unwrap(node.object).type !== "ThisExpression") return undefined;
  return node.property.type === "PrivateIdentifier" ? `#${node.property.name}` : keyOf(node);
}
