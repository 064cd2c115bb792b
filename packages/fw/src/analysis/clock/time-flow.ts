import type { ESTree } from "rolldown/utils";
import { constantOf } from "../resolution/constant.ts";
import { isFunction, isWrapper, keyOf, propertyName, quote, unwrap, type FunctionNode } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { isAssigned } from "../symbols/access.ts";
import { scopeOf, type LexicalScope } from "../symbols/scope.ts";
import type { NameUse } from "../symbols/table.ts";
import { calleesOf, type Callee } from "../uses/callees.ts";
import { functionAround, type TimeForm, type ClockRead } from "./clock-reads.ts";
import { namesIn, usesOf } from "./names.ts";
import { isOutsideValue, scopeIn, type OutsideSources } from "./outside-values.ts";

/** An expression that holds a time, either itself or in the member at `keys`. */
interface TimeValue extends ClockRead {
  readonly module: SourceModule;
  readonly keys: readonly string[];
}

/** The place where a time reaches data, a message, a response or a comparison. */
export interface TimeUse {
  readonly module: SourceModule;
  readonly node: ESTree.Node;
  /** The effect as a phrase, such as "is stored by orders.create". */
  readonly use: string;
}

/** Lookups that recognize declarations, handlers and calls of functions. */
export interface FlowSources extends OutsideSources {
  readonly project: Project;
  /** True for a constant that holds a declaration, by `declarationKey`. */
  readonly isDeclaration: (key: string) => boolean;
  /** The name of the API or page that has this handler; undefined for other functions. */
  readonly answering: (fn: FunctionNode) => string | undefined;
  /** The uses of a top-level function's name, in all modules. */
  readonly callsOf: (module: SourceModule, name: string) => readonly (NameUse & { readonly module: SourceModule })[];
}

/** The maximum number of expressions to follow from one clock read. */
const mostValues = 300;

/** Stands for the index of any list item. */
const anyItem = "*";

/** Follows a time until code stores, sends, returns or compares it. Gives up when the flow is ambiguous. */
export class TimeFlow {
  readonly #sources: FlowSources;
  readonly #visited = new Set<ESTree.Node>();

  constructor(sources: FlowSources) {
    this.#sources = sources;
  }

  follow(value: TimeValue): TimeUse | undefined {
    if (this.#visited.has(value.node) || this.#visited.size >= mostValues) return undefined;
    this.#visited.add(value.node);
    const outer = value.around.node;
    if (isWrapper(outer)) return this.#up(value);
    switch (outer.type) {
      case "AwaitExpression":
      case "SpreadElement":
      case "ObjectExpression":
        return this.#up(value);
      case "ConditionalExpression":
        return outer.test === value.node ? undefined : this.#up(value);
      case "LogicalExpression":
        return outer.operator === "&&" && outer.left === value.node ? undefined : this.#up(value);
      case "Property":
        return this.#property(value, outer);
      case "ArrayExpression":
        return this.#up(value, { keys: [anyItem, ...value.keys] });
      case "TemplateLiteral":
        return isWhole(value) && value.form !== "number" ? this.#up(value, { form: "text" }) : undefined;
      case "UnaryExpression":
        return isWhole(value) && outer.operator === "+" ? this.#up(value, { form: "number" }) : undefined;
      case "BinaryExpression":
        return isWhole(value) ? this.#binary(value, outer) : undefined;
      case "MemberExpression":
        return this.#member(value, outer);
      case "NewExpression":
        return isConversion(outer, value.node) && isWhole(value) ? this.#up(value, { form: "date" }) : undefined;
      case "CallExpression":
        return this.#argument(value, outer);
      case "VariableDeclarator":
        return this.#variable(value, outer);
      case "AssignmentExpression":
        return this.#assignment(value, outer);
      case "ReturnStatement":
      case "ArrowFunctionExpression":
        return this.#returned(value);
      default:
        return undefined;
    }
  }

  #up(value: TimeValue, change: Partial<TimeValue> = {}): TimeUse | undefined {
    const { node, parent } = value.around;
    return parent && this.follow({ ...value, node, around: parent, ...change });
  }

  #first(values: readonly TimeValue[]): TimeUse | undefined {
    for (const value of values) {
      const use = this.follow(value);
      if (use) return use;
    }
    return undefined;
  }

  #property(value: TimeValue, property: ESTree.Node): TimeUse | undefined {
    const isValue = property.type === "Property" && property.value === value.node;
    const name = isValue ? propertyName(property) : undefined;
    return name === undefined ? undefined : this.#up(value, { keys: [name, ...value.keys] });
  }

  #binary(value: TimeValue, outer: ESTree.BinaryExpression | ESTree.PrivateInExpression): TimeUse | undefined {
    const { left, operator, right } = outer;
    const other = left === value.node ? right : left;
    const isOutside = isOutsideValue(this.#sources, { ...value, node: other });
    if (isOutside && (comparisons.has(operator) || operator === "-"))
      return useAt(value, outer, `is compared with ${quote(value.module, other)}`);
    if (operator === "+") return isText(other) && value.form === "number" ? undefined : this.#up(value);
    const isShifted = operator === "-" || operator === "/";
    const keepsTime = isShifted && left === value.node && this.#isNumber(value, other);
    return keepsTime ? this.#up(value, { form: "number" }) : undefined;
  }

  /** True for a constant number: a time minus a number is a time, but a time minus a time is a duration. */
  #isNumber({ module, around }: TimeValue, node: ESTree.Node): boolean {
    const bare = unwrap(node);
    const scope = around.scope;
    const owner = bare.type === "Identifier" ? scopeOf(scope, bare.name) : undefined;
    const declarator = bare.type === "Identifier" ? owner?.names.get(bare.name)?.declarator : undefined;
    if (owner && !declarator?.init) return false;
    const constant = constantOf(this.#sources.project, module, declarator?.init ?? bare);
    return constant.ok && typeof constant.value === "number";
  }

  #member(value: TimeValue, outer: ESTree.MemberExpression): TimeUse | undefined {
    if (outer.object !== value.node) return undefined;
    const key = keyOf(outer);
    const [first, ...keys] = value.keys;
    if (first !== undefined) return key === first ? this.#up(value, { keys }) : undefined;
    const call = value.around.parent;
    if (key === undefined || call?.node.type !== "CallExpression" || call.node.callee !== outer) return undefined;
    const form = formAfter(key, value.form, call.node.arguments.length);
    return form && call.parent && this.follow({ ...value, node: call.node, around: call.parent, form });
  }

  #argument(value: TimeValue, call: ESTree.CallExpression): TimeUse | undefined {
    const index = call.arguments.findIndex((each) => each === value.node);
    if (index === -1) return undefined;
    if (isConversion(call, value.node)) {
      const isIdentity = value.form === "number" && keyOfCallee(call) === "String";
      return isWhole(value) && !isIdentity ? this.#up(value) : undefined;
    }
    return this.#passed(value, call, index);
  }

  /** Follows a value into the function that receives it as an argument. */
  #passed(value: TimeValue, call: ESTree.CallExpression, index: number): TimeUse | undefined {
    const argument = { call, index, scope: scopeIn(value) };
    for (const callee of calleesOf(this.#sources.project, value.module, argument)) {
      const use =
        callee.kind === "function" ? this.#parameter(value, callee) : this.#operation(value, call, callee.key);
      if (use) return use;
    }
    return undefined;
  }

  #parameter(value: TimeValue, { module, fn, index }: Extract<Callee, { kind: "function" }>): TimeUse | undefined {
    const parameter = fn.params[index];
    const owner = namesIn(module).functions.get(fn);
    if (parameter?.type !== "Identifier" || owner === undefined) return undefined;
    return this.#name({ ...value, module }, owner, parameter.name);
  }

  #operation(value: TimeValue, call: ESTree.CallExpression, key: string): TimeUse | undefined {
    const callee = unwrap(call.callee);
    const method = callee.type === "MemberExpression" ? keyOf(callee) : undefined;
    const effect = method === undefined || !this.#sources.isDeclaration(key) ? undefined : effects.get(method);
    return effect === undefined ? undefined : useAt(value, call, `${effect} ${calleeText(value.module, call)}`);
  }

  #variable(value: TimeValue, { id, init }: ESTree.VariableDeclarator): TimeUse | undefined {
    if (id.type !== "Identifier" || init !== value.node) return undefined;
    const owner = scopeOf(value.around.scope, id.name);
    return owner && this.#name(value, owner, id.name);
  }

  /** Follows the uses of a local name that is never reassigned. */
  #name(value: TimeValue, owner: LexicalScope, name: string, from = 0): TimeUse | undefined {
    const uses = usesOf(value.module, owner, name).filter(({ node }) => node.start >= from);
    if (uses.some(isAssigned)) return undefined;
    return this.#first(uses.map(({ node, step }) => ({ ...value, node, around: step })));
  }

  /** Follows `order.updated = new Date()` to the later uses of `order`. */
  #assignment(value: TimeValue, { left, operator, right, end }: ESTree.AssignmentExpression): TimeUse | undefined {
    if (operator !== "=" || right !== value.node) return undefined;
    const keys = [...value.keys];
    let target: ESTree.Node = left;
    while (target.type === "MemberExpression") {
      const key = keyOf(target);
      if (key === undefined) return undefined;
      keys.unshift(key);
      target = unwrap(target.object);
    }
    if (target.type !== "Identifier" || target === left) return undefined;
    const owner = scopeOf(scopeIn(value), target.name);
    if (!owner) return undefined;
    return this.#changed(value, owner, target.name) ?? this.#name({ ...value, keys }, owner, target.name, end);
  }

  /** Follows a change to the document that `update` passes to its callback. */
  #changed(value: TimeValue, owner: LexicalScope, name: string): TimeUse | undefined {
    const fn = functionAround(value.around);
    const isParameter = fn !== undefined && namesIn(value.module).functions.get(fn.node) === owner;
    const first = isParameter && isFunction(fn.node) ? fn.node.params[0] : undefined;
    const call = fn?.parent?.node;
    if (first?.type !== "Identifier" || first.name !== name || call?.type !== "CallExpression") return undefined;
    const index = call.arguments.findIndex((each) => each === fn?.node);
    return index === -1 ? undefined : this.#passed({ ...value, around: fn?.parent ?? value.around }, call, index);
  }

  #returned(value: TimeValue): TimeUse | undefined {
    const fn = functionAround(value.around);
    if (!fn?.parent || !isFunction(fn.node)) return undefined;
    const isBody = value.around === fn && fn.node.body === value.node;
    if (!isBody && value.around.node.type !== "ReturnStatement") return undefined;
    const answer = this.#sources.answering(fn.node);
    if (answer !== undefined) return useAt(value, value.node, `is returned by ${answer}`);
    return this.#result({ ...value, node: fn.node, around: fn.parent }, fn.node);
  }

  /** Follows the return value of a function to its calls, or out of the call that takes it as a callback. */
  #result(value: TimeValue, fn: FunctionNode): TimeUse | undefined {
    const outer = value.around.node;
    if (outer.type === "CallExpression") return this.#callback(value, outer);
    const name = fn.id?.name ?? (outer.type === "VariableDeclarator" ? nameOf(outer) : undefined);
    if (name === undefined || this.#visited.has(fn)) return undefined;
    this.#visited.add(fn);
    const owner = scopeOf(value.around.scope, name);
    const uses = owner
      ? usesOf(value.module, owner, name).map((use) => ({ ...use, module: value.module }))
      : this.#sources.callsOf(value.module, name);
    return this.#first(
      uses.flatMap(({ module, node, step }) => {
        const isCall = step.node.type === "CallExpression" && step.node.callee === node;
        return isCall && step.parent ? [{ ...value, module, node: step.node, around: step.parent }] : [];
      }),
    );
  }

  #callback(value: TimeValue, call: ESTree.CallExpression): TimeUse | undefined {
    const callee = unwrap(call.callee);
    const index = call.arguments.findIndex((each) => each === value.node);
    const key = callee.type === "MemberExpression" ? keyOf(callee) : undefined;
    if (key === "map" || key === "flatMap") return this.#up(value, { keys: [anyItem, ...value.keys] });
    const argument = { call, index: 0, scope: value.around.scope };
    const inner = calleesOf(this.#sources.project, value.module, argument);
    const isTransaction = index === 1 && inner.some((each) => each.kind === "function" && each.fn === value.node);
    return isTransaction ? this.#up(value) : index === -1 ? undefined : this.#passed(value, call, index);
  }
}

const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "===", "!=", "!=="]);

function isWhole({ keys }: TimeValue): boolean {
  return keys.length === 0;
}

function isText(node: ESTree.Node): boolean {
  const bare = unwrap(node);
  return bare.type === "TemplateLiteral" || (bare.type === "Literal" && typeof bare.value === "string");
}

function nameOf({ id }: ESTree.VariableDeclarator): string | undefined {
  return id.type === "Identifier" ? id.name : undefined;
}

/** Returns the form of a method's result on a date, number or string; undefined if the result is not a time. */
function formAfter(method: string, form: TimeForm, argumentCount: number): TimeForm | undefined {
  if (form === "text") return texts.has(method) ? "text" : undefined;
  if (form === "number") return undefined;
  if (method === "getTime" || method === "valueOf") return "number";
  if (method === "getTimezoneOffset" || (method === "toString" && argumentCount > 0)) return undefined;
  return /^(get|to)[A-Z]/.test(method) ? "text" : undefined;
}

const texts = new Set(["slice", "split", "substring", "replace", "replaceAll", "trim", "at"]);

const conversions = new Set([
  "BigInt",
  "Date",
  "Math.ceil",
  "Math.floor",
  "Math.round",
  "Math.trunc",
  "Number",
  "String",
]);

function isConversion(call: ESTree.CallExpression | ESTree.NewExpression, node: ESTree.Node): boolean {
  return call.arguments.length === 1 && call.arguments[0] === node && conversions.has(keyOfCallee(call) ?? "");
}

function keyOfCallee({ callee }: ESTree.CallExpression | ESTree.NewExpression): string | undefined {
  if (callee.type === "Identifier") return callee.name;
  const object = callee.type === "MemberExpression" ? callee.object : undefined;
  return callee.type === "MemberExpression" && object?.type === "Identifier"
    ? `${object.name}.${keyOf(callee) ?? ""}`
    : undefined;
}

/** The effect of passing a time to a declaration's operation, by method name. */
const effects: ReadonlyMap<string, string> = new Map([
  ["call", "is sent by"],
  ["create", "is stored by"],
  ["publish", "is sent by"],
  ["put", "is stored by"],
  ["render", "is rendered by"],
  ["send", "is sent by"],
  ["start", "is sent by"],
  ["update", "is stored by"],
  ["where", "is compared by"],
]);

/** Quotes the called operation: `orders.create`. */
function calleeText(module: SourceModule, { callee }: ESTree.CallExpression): string {
  const text = module.text.slice(callee.start, callee.end);
  const root = /^[\w$.]+/.exec(text)?.[0] ?? text;
  return `\`${root}\``;
}

function useAt({ module }: TimeValue, node: ESTree.Node, use: string): TimeUse {
  return { module, node, use };
}
