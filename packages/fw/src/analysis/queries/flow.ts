import type { ESTree } from "rolldown/utils";
import { unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import type { Project } from "../source/project.ts";
import { isFunction, isOfFramework, named } from "./names.ts";
import type { Report } from "./report.ts";
import { readFilter, readOrder } from "./steps.ts";
import {
  find,
  join,
  joinStates,
  settledLoop,
  sizeOf,
  type Frame,
  type FunctionNode,
  type FunctionValue,
  type QueryValue,
  type Scope,
  type State,
  type Value,
  type Variable,
} from "./value.ts";

/** Nodes that are visited for one module; beyond, a query is said to escape. */
const mostSteps = 500_000;
/** Functions that call functions. */
const deepest = 24;
/** Rounds after which a loop has settled, or never does. */
const mostRounds = 4;

/** Runs functions over what is known of queries: every branch is taken, and every function of the application entered. */
export class Flow {
  readonly project: Project;
  readonly report: Report;
  readonly #calling: FunctionNode[] = [];
  readonly #constants = new Map<ESTree.Node, Value>();
  readonly #results = new Map<FunctionNode, Value>();
  #steps = 0;

  constructor(project: Project, report: Report) {
    this.project = project;
    this.report = report;
  }

  /** Everything that a module does with queries. */
  module(module: SourceModule): void {
    const frame = openFrame(module, undefined, new Map());
    for (const statement of module.program.body) this.#statement(statement, frame);
  }

  // Statements

  /** False when what follows is not reached. */
  #statement(node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean {
    if (++this.#steps > mostSteps) return false;
    switch (node.type) {
      case "BlockStatement":
        return this.#block(node.body, frame);
      case "VariableDeclaration":
        return (this.#declaration(node, frame), true);
      case "ReturnStatement":
        if (node.argument) frame.returns.push({ value: this.value(node.argument, frame), node: node.argument });
        return false;
      case "ThrowStatement":
        return (this.#unused(node.argument, frame, "is thrown"), false);
      case "IfStatement":
        return this.#if(node, frame);
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return (this.#inScope(frame, loopNames(node), () => this.#loop(node, frame)), true);
      case "SwitchStatement":
        return this.#switch(node, frame);
      case "TryStatement":
        return this.#try(node, frame);
      case "BreakStatement":
      case "ContinueStatement":
        return (frame.exits.push(new Map(frame.state)), false);
      case "LabeledStatement":
        return this.#statement(node.body, frame);
      case "ExpressionStatement":
        return (this.value(node.expression, frame), true);
      case "FunctionDeclaration":
        return (this.#standAlone(node, frame), true);
      case "ExportNamedDeclaration":
        return !node.declaration || this.#statement(node.declaration, frame);
      case "ExportDefaultDeclaration":
        return (this.#exported(node, frame), true);
      case "ImportDeclaration":
      case "ExportAllDeclaration":
        return true;
      default:
        return (this.#parts(node, frame, "is used where it cannot be followed"), true);
    }
  }

  #exported({ declaration }: ESTree.ExportDefaultDeclaration, frame: Frame): void {
    if (isFunction(declaration)) this.#standAlone(declaration, frame);
    else this.value(declaration, frame);
  }

  #block(body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): boolean {
    return this.#inScope(frame, body.flatMap(namesOf), () => {
      this.#hoist(body, frame);
      return body.every((each) => this.#statement(each, frame));
    });
  }

  /** Functions can be called before they are declared. */
  #hoist(body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): void {
    for (const each of body) {
      if (each.type === "FunctionDeclaration" && each.id) this.#assign(each.id.name, functionValue(each, frame), frame);
    }
  }

  #inScope<T>(frame: Frame, names: readonly string[], run: () => T): T {
    const outer = frame.scope;
    frame.scope = scopeOf(names, outer, frame.owner);
    const result = run();
    frame.scope = outer;
    return result;
  }

  #declaration(node: ESTree.VariableDeclaration, frame: Frame): void {
    for (const { id, init } of node.declarations) {
      if (!init) {
        if (id.type === "Identifier") this.#assign(id.name, undefined, frame);
        continue;
      }
      const bare = unwrap(init);
      const value = isFunction(bare) ? functionValue(bare, frame) : this.value(init, frame);
      if (isFunction(bare)) this.#standAlone(bare, frame);
      if (id.type !== "Identifier") this.#lost(value, init, frame, "is taken apart");
      else if (frame.scope === undefined) this.#topLevel(value, node.kind, init, frame);
      else {
        const variable = find(frame.scope, id.name);
        if (variable && node.kind === "const") variable.init = init;
        if (variable) frame.state.set(variable, value);
      }
    }
  }

  #topLevel(value: Value, kind: string, init: ESTree.Node, frame: Frame): void {
    if (kind !== "const") this.#lost(value, init, frame, "is held in a variable of the module that can change");
  }

  #if(node: ESTree.IfStatement, frame: Frame): boolean {
    this.#unused(node.test, frame, "is used as a condition");
    const before = frame.state;
    frame.state = new Map(before);
    const first = this.#statement(node.consequent, frame);
    const then = frame.state;
    frame.state = new Map(before);
    const second = node.alternate ? this.#statement(node.alternate, frame) : true;
    if (first && second) frame.state = joinStates(frame.state, then);
    else if (first) frame.state = then;
    return first || second;
  }

  #loop(node: Loop, frame: Frame): void {
    if (node.type === "ForStatement" && node.init) this.#first(node.init, frame);
    if (node.type === "ForInStatement" || node.type === "ForOfStatement")
      this.#unused(node.right, frame, "is looped over; read it with each");
    for (let round = 0; round < mostRounds; round += 1) {
      const before = frame.state;
      const size = sizeOf(before);
      frame.state = new Map(before);
      const exits = frame.exits.length;
      if (node.type === "ForStatement" || node.type === "WhileStatement") {
        if (node.test) this.#unused(node.test, frame, "is used as a condition");
      }
      this.#statement(node.body, frame);
      if (node.type === "DoWhileStatement") this.#unused(node.test, frame, "is used as a condition");
      if (node.type === "ForStatement" && node.update) this.value(node.update, frame);
      const after = frame.exits.splice(exits).reduce(joinStates, frame.state);
      frame.state = settledLoop(before, after);
      if (round > 0 && sizeOf(frame.state) === size) return;
    }
    for (const value of frame.state.values()) {
      if (value?.kind === "query" && this.#grows(value))
        this.#lost(value, node, frame, "grows with every round of a loop");
    }
  }

  #grows({ alternatives }: QueryValue): boolean {
    return alternatives.some(({ orders }) => orders.length >= mostRounds);
  }

  #first(node: ESTree.Node, frame: Frame): void {
    if (node.type === "VariableDeclaration") this.#declaration(node, frame);
    else this.value(node, frame);
  }

  #switch(node: ESTree.SwitchStatement, frame: Frame): boolean {
    this.#unused(node.discriminant, frame, "is used as a condition");
    const names = node.cases.flatMap((each) => each.consequent.flatMap(namesOf));
    return this.#inScope(frame, names, () => {
      const before = frame.state;
      const exits = frame.exits.length;
      let goesOn = false;
      for (const each of node.cases) {
        frame.state = goesOn ? joinStates(before, frame.state) : new Map(before);
        goesOn = each.consequent.every((statement) => this.#statement(statement, frame));
      }
      const ends = frame.exits.splice(exits);
      if (goesOn) ends.push(frame.state);
      if (!node.cases.some(({ test }) => test === null)) ends.push(before);
      if (ends.length === 0) return false;
      frame.state = ends.reduce(joinStates);
      return true;
    });
  }

  #try(node: ESTree.TryStatement, frame: Frame): boolean {
    const before = new Map(frame.state);
    const tried = this.#statement(node.block, frame);
    const after = frame.state;
    let goesOn = tried;
    if (node.handler) {
      frame.state = joinStates(before, after);
      const names = node.handler.param ? patternNames(node.handler.param) : [];
      const { body } = node.handler;
      const caught = this.#inScope(frame, names, () => this.#statement(body, frame));
      if (tried && caught) frame.state = joinStates(after, frame.state);
      else if (tried) frame.state = after;
      goesOn = tried || caught;
    }
    return node.finalizer ? this.#statement(node.finalizer, frame) && goesOn : goesOn;
  }

  // Expressions

  /** What an expression comes to, as far as queries are concerned. */
  value(node: ESTree.Node, frame: Frame): Value {
    if (++this.#steps > mostSteps) return undefined;
    const bare = unwrap(node);
    switch (bare.type) {
      case "Identifier":
        return this.#name(bare, frame);
      case "CallExpression":
        return this.#call(bare, frame);
      case "MemberExpression":
        return this.#member(bare, frame);
      case "ConditionalExpression":
        return this.#choice(bare, frame);
      case "LogicalExpression":
        return this.#either(this.value(bare.left, frame), bare.right, frame);
      case "SequenceExpression":
        return bare.expressions.map((each) => this.value(each, frame)).at(-1);
      case "AssignmentExpression":
        return this.#assignment(bare, frame);
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return this.#anonymous(bare, frame);
      case "AwaitExpression":
        return (this.#unused(bare.argument, frame, "is awaited; end it with all, first, count or page"), undefined);
      case "ObjectExpression":
        return (this.#parts(bare, frame, "is put into an object"), undefined);
      case "ArrayExpression":
        return (this.#parts(bare, frame, "is put into a list"), undefined);
      default:
        return (this.#parts(bare, frame, "is used where it cannot be followed"), undefined);
    }
  }

  #name(node: ESTree.Node & { readonly name: string }, frame: Frame): Value {
    const variable = find(frame.scope, node.name);
    if (!variable) return this.#outside(node, frame);
    if (variable.owner !== frame.owner) variable.captured = true;
    return frame.state.get(variable);
  }

  /** A name of the top level, of this module or another. */
  #outside(node: ESTree.Node, frame: Frame): Value {
    const found = named(this.project, frame.module, node);
    if (found?.kind === "function") return { ...found, scope: undefined };
    return found?.kind === "expression" ? this.#constant(found.module, found.node) : found;
  }

  /** A query may be a constant of a module. */
  #constant(module: SourceModule, node: ESTree.Node): Value {
    if (node.type !== "CallExpression" && node.type !== "ConditionalExpression") return undefined;
    if (this.#constants.has(node)) return this.#constants.get(node);
    if (node.type === "CallExpression" && isOfFramework(this.project, module, node)) return undefined;
    this.#constants.set(node, undefined);
    const value = this.value(node, openFrame(module, undefined, new Map()));
    this.#constants.set(node, value);
    return value;
  }

  #member(node: ESTree.MemberExpression, frame: Frame): Value {
    const object = this.value(node.object, frame);
    if (node.computed) this.#unused(node.property, frame, "is used as a key");
    if (object?.kind === "query") return (this.#lost(object, node, frame, "is taken apart"), undefined);
    return rootedOutside(node, frame.scope) ? this.#outside(node, frame) : undefined;
  }

  #choice(node: ESTree.ConditionalExpression, frame: Frame): Value {
    this.#unused(node.test, frame, "is used as a condition");
    const before = frame.state;
    frame.state = new Map(before);
    const one = this.value(node.consequent, frame);
    const then = frame.state;
    frame.state = new Map(before);
    const other = this.value(node.alternate, frame);
    frame.state = joinStates(frame.state, then);
    return join(one, other);
  }

  #either(left: Value, right: ESTree.Node, frame: Frame): Value {
    const before = new Map(frame.state);
    const value = join(left, this.value(right, frame));
    frame.state = joinStates(before, frame.state);
    return value;
  }

  #assignment(node: ESTree.AssignmentExpression, frame: Frame): Value {
    const right = this.value(node.right, frame);
    const { left } = node;
    if (left.type !== "Identifier") {
      this.#parts(left, frame, "is taken apart");
      return (this.#lost(right, node, frame, "is stored where it cannot be followed"), undefined);
    }
    const variable = find(frame.scope, left.name);
    const value = node.operator === "=" || !variable ? right : join(frame.state.get(variable), right);
    if (!variable) this.#lost(value, node, frame, "is held in a variable of the module that can change");
    else if (variable.owner !== frame.owner)
      this.#lost(join(value, frame.state.get(variable)), node, frame, "is changed inside another function");
    else {
      if (variable.captured) this.#lost(value, node, frame, "is changed after a function has taken hold of it");
      frame.state.set(variable, value);
    }
    return value;
  }

  #assign(name: string, value: Value, frame: Frame): void {
    const variable = find(frame.scope, name);
    if (variable) frame.state.set(variable, value);
  }

  // Calls

  #call(node: ESTree.CallExpression, frame: Frame): Value {
    const callee = unwrap(node.callee);
    if (callee.type === "MemberExpression") {
      const object = this.value(callee.object, frame);
      const method = callee.property.type === "Identifier" && !callee.computed ? callee.property.name : undefined;
      if (object?.kind === "query") return this.#step(object, method, node, callee, frame);
      if (object?.kind === "entity" && method === "query") {
        const begins = { module: frame.module, node };
        return {
          kind: "query",
          alternatives: [{ entity: object.entity, begins, filters: [], orders: [], whole: true }],
        };
      }
      const target = rootedOutside(callee, frame.scope) ? this.#outside(callee, frame) : undefined;
      return this.#enter(target, node, frame);
    }
    if (isFunction(callee)) return this.#enter(functionValue(callee, frame), node, frame);
    return this.#enter(this.value(callee, frame), node, frame);
  }

  #step(
    query: QueryValue,
    method: string | undefined,
    node: ESTree.CallExpression,
    callee: ESTree.MemberExpression,
    frame: Frame,
  ): Value {
    for (const each of node.arguments) this.#unused(each, frame, "is passed to another query");
    switch (method) {
      case "where":
        return readFilter(this, query, node, frame);
      case "orderBy":
        return readOrder(this, query, node, frame);
      case "limit":
        return query;
      case "all":
      case "first":
      case "count":
      case "page":
      case "each":
        return (this.report.use({ module: frame.module, node: callee.property }, query), undefined);
      default:
        return (this.#lost(query, callee.property, frame, "is taken apart"), undefined);
    }
  }

  /** The function's result when it is called with these arguments; a query may go in and out. */
  #enter(target: Value, node: ESTree.CallExpression, frame: Frame): Value {
    const given = node.arguments.map((each) => {
      if (each.type !== "SpreadElement") return { value: this.value(each, frame), node: each };
      return (this.#unused(each.argument, frame, "is put into a list"), { value: undefined, node: each });
    });
    if (target?.kind === "function" && !node.arguments.some(({ type }) => type === "SpreadElement")) {
      const result = this.#result(target, given, frame);
      if (result !== "lost") return result;
    }
    for (const { value, node: at } of given) {
      this.#lost(value, at, frame, "is passed where it cannot be followed");
      if (value?.kind === "function" && unwrap(at).type === "Identifier") this.#handedOn(value, at, frame);
    }
    return undefined;
  }

  /** A function that answers a query is handed on: nobody sees who calls it. */
  #handedOn(target: FunctionValue, at: ESTree.Node, frame: Frame): void {
    const result = this.#result(target, [], frame);
    if (result !== "lost") this.#lost(result, at, frame, "is what this function answers, which is passed on");
  }

  #result(
    target: FunctionValue,
    given: readonly { readonly value: Value; readonly node: ESTree.Node }[],
    frame: Frame,
  ): Value | "lost" {
    const { node } = target;
    const plain = target.scope === undefined && given.every(({ value }) => value === undefined);
    if (plain && this.#results.has(node)) return this.#results.get(node);
    if (this.#calling.includes(node) || this.#calling.length >= deepest || !node.body) return "lost";
    this.#calling.push(node);
    const inner = openFrame(target.module, target.scope, target.scope === undefined ? new Map() : new Map(frame.state));
    for (const [index, { value, node: at }] of given.entries()) {
      const parameter = node.params[index];
      if (value?.kind === "query" && (!parameter || !parameterName(parameter)))
        this.#lost(value, at, frame, "is passed where it cannot be followed");
    }
    this.#run(
      node,
      inner,
      given.map(({ value }) => value),
    );
    this.#calling.pop();
    const result = inner.returns.map(({ value }) => value).reduce<Value>(join, undefined);
    const answer = node.async || node.generator ? undefined : result;
    if (answer === undefined) this.#lostReturns(inner, "is returned as a promise");
    if (plain) this.#results.set(node, answer);
    return answer;
  }

  /** Runs a function for itself: what it does whoever calls it. */
  #standAlone(node: FunctionNode, frame: Frame): Frame {
    const inner = openFrame(frame.module, frame.scope, new Map(frame.state));
    this.#run(node, inner, []);
    if (node.async || node.generator) this.#lostReturns(inner, "is returned as a promise");
    return inner;
  }

  #anonymous(node: FunctionNode, frame: Frame): Value {
    const inner = this.#standAlone(node, frame);
    this.#lostReturns(inner, "is returned from a function without a name");
    return functionValue(node, frame);
  }

  #lostReturns({ returns, module }: Frame, how: string): void {
    for (const { value, node } of returns)
      if (value?.kind === "query") this.report.escape({ module, node }, how, value);
  }

  #run(node: FunctionNode, inner: Frame, given: readonly Value[]): void {
    if (!node.body) return;
    const own = node.type === "FunctionExpression" && node.id ? [node.id.name] : [];
    inner.scope = scopeOf([...own, ...node.params.flatMap(patternNames)], inner.scope, inner.owner);
    for (const [index, parameter] of node.params.entries()) {
      const name = parameterName(parameter);
      if (name !== undefined && given[index]) this.#assign(name, given[index], inner);
      if (parameter.type === "AssignmentPattern") this.#unused(parameter.right, inner, "is a default");
    }
    if (node.body.type === "BlockStatement") this.#statement(node.body, inner);
    else inner.returns.push({ value: this.value(node.body, inner), node: node.body });
  }

  // Escapes

  /** An expression whose value nobody follows further. */
  #unused(node: ESTree.Node, frame: Frame, how: string): void {
    this.#lost(this.value(node, frame), node, frame, how);
  }

  #lost(value: Value, node: ESTree.Node, { module }: Frame, how: string): void {
    if (value?.kind === "query") this.report.escape({ module, node }, how, value);
  }

  /** Everything inside a node, none of which may be a query. */
  #parts(node: ESTree.Node, frame: Frame, how: string): void {
    const fields = node as unknown as Readonly<Record<string, unknown>>;
    for (const key in fields) {
      if (skipped.has(key)) continue;
      const value = fields[key];
      for (const each of Array.isArray(value) ? value : [value]) this.#part(node, key, each, frame, how);
    }
  }

  #part(parent: ESTree.Node, key: string, value: unknown, frame: Frame, how: string): void {
    if (typeof value !== "object" || value === null || !("type" in value)) return;
    const node = value as ESTree.Node;
    if (node.type.startsWith("TS") && node.type !== unwrap(node).type) return this.#unused(node, frame, how);
    if (node.type.startsWith("TS")) return;
    if (parent.type === "Property" && key === "key" && !parent.computed) return;
    if (inner.has(node.type)) return this.#parts(node, frame, how);
    if (/Statement$|Declaration$/.test(node.type)) return void this.#statement(node as ESTree.Statement, frame);
    this.#unused(node, frame, how);
  }
}

type Loop =
  | ESTree.ForStatement
  | ESTree.ForInStatement
  | ESTree.ForOfStatement
  | ESTree.WhileStatement
  | ESTree.DoWhileStatement;

/** Nodes that are no expressions but hold some. */
const inner: ReadonlySet<string> = new Set([
  "Property",
  "SpreadElement",
  "TemplateElement",
  "ClassBody",
  "MethodDefinition",
  "PropertyDefinition",
  "AccessorProperty",
  "StaticBlock",
  "ObjectPattern",
  "ArrayPattern",
  "AssignmentPattern",
  "RestElement",
  "Decorator",
  "JSXOpeningElement",
  "JSXClosingElement",
  "JSXAttribute",
  "JSXExpressionContainer",
  "JSXSpreadAttribute",
]);

const skipped: ReadonlySet<string> = new Set([
  "type",
  "parent",
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "superTypeArguments",
  "implements",
]);

function openFrame(module: SourceModule, scope: Scope | undefined, state: State): Frame {
  return { module, scope, state, owner: {}, returns: [], exits: [] };
}

function functionValue(node: FunctionNode, { module, scope }: Frame): FunctionValue {
  return { kind: "function", module, node, scope };
}

function scopeOf(names: readonly string[], parent: Scope | undefined, owner: object): Scope {
  const variables = new Map(
    names.map((name): [string, Variable] => [name, { init: undefined, captured: false, owner }]),
  );
  return { variables, parent, owner };
}

function namesOf(node: ESTree.Statement | ESTree.Directive): readonly string[] {
  switch (node.type) {
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id }) => patternNames(id));
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id ? [node.id.name] : [];
    default:
      return [];
  }
}

function loopNames(node: Loop): readonly string[] {
  if (node.type === "ForStatement") return node.init?.type === "VariableDeclaration" ? namesOf(node.init) : [];
  if (node.type !== "ForInStatement" && node.type !== "ForOfStatement") return [];
  return node.left.type === "VariableDeclaration" ? namesOf(node.left) : [];
}

function parameterName(node: ESTree.ParamPattern): string | undefined {
  if (node.type === "Identifier") return node.name;
  return node.type === "AssignmentPattern" && node.left.type === "Identifier" ? node.left.name : undefined;
}

/** True where `a` of `a.b.c` is a name of the top level. */
function rootedOutside(node: ESTree.MemberExpression, scope: Scope | undefined): boolean {
  let root: ESTree.Node = node;
  while (root.type === "MemberExpression") root = unwrap(root.object);
  return root.type === "Identifier" && !find(scope, root.name);
}
