import type { ESTree } from "rolldown/utils";
import { isWrapper, keyOf } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { patternNames } from "../source/names.ts";
import { typeKeys } from "../source/walk.ts";
import type { Root } from "./chain.ts";
import { isInert } from "./inert.ts";
import { outermost, scopeIn, type Scope } from "./scope.ts";

/** A place that names something of the module's top level, or of a module that is imported there. */
export interface Reference {
  /** The name; or the specifier of an `import()`. */
  readonly root: string | ESTree.Expression;
  /** The members read of it, as far as they are constants: `users` and `grant`. */
  readonly keys: readonly string[];
  /** All of it: `auth.users.grant`. */
  readonly node: ESTree.Node;
  /** True where it is called. */
  readonly called: boolean;
}

/** What some code refers to. */
export interface References {
  readonly references: readonly Reference[];
  /** The specifiers of its `import()`s. */
  readonly loads: readonly ESTree.Expression[];
  /** What is called when the module is loaded, but for what does nothing by itself. */
  readonly calls: readonly ESTree.Node[];
}

interface Step {
  readonly node: ESTree.Node;
  readonly parent: Step | undefined;
  readonly scope: Scope | undefined;
  /** Inside a function, which runs when it is called. */
  readonly deferred: boolean;
}

interface Found {
  readonly module: SourceModule;
  readonly references: Reference[];
  readonly loads: ESTree.Expression[];
  readonly calls: ESTree.Node[];
}

/** What a part of the top level refers to. `around` is the statement that it is a part of. */
export function referencesOf(module: SourceModule, part: ESTree.Node, around?: ESTree.Node): References {
  const found: Found = { module, references: [], loads: [], calls: [] };
  const outer = around && { node: around, parent: undefined, scope: undefined, deferred: false };
  const waiting: Step[] = [{ node: part, parent: outer, scope: undefined, deferred: false }];
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    visit(found, step);
    pushParts(found, waiting, step);
  }
  return found;
}

function visit(found: Found, step: Step): void {
  const { node, deferred } = step;
  if (node.type === "ImportExpression") {
    found.loads.push(node.source);
    note(found, step.parent, node, step.scope);
  }
  const isCall =
    node.type === "CallExpression" || node.type === "NewExpression" || node.type === "TaggedTemplateExpression";
  if (isCall && !deferred && !isInert(found.module, node)) found.calls.push(node);
}

function pushParts(found: Found, waiting: Step[], step: Step): void {
  const { node } = step;
  const scope = scopeIn(node, step.scope);
  const deferred = step.deferred || isFunction(node) || (node.type === "PropertyDefinition" && !node.static);
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    if (typeKeys.has(key)) continue;
    const value = fields[key];
    if (Array.isArray(value)) for (const each of value) push(key, each);
    else push(key, value);
  }

  function push(key: string, value: unknown): void {
    if (typeof value !== "object" || value === null || !("type" in value)) return;
    const part = value as ESTree.Node;
    if (part.type === "Identifier") {
      if (isValue(step, key)) note(found, step, part, scope);
    } else if (part.type === "JSXIdentifier") {
      if (isElement(node, key)) note(found, step, { ...part, type: "Identifier" }, scope);
    } else if (!ignored.has(part.type)) waiting.push({ node: part, parent: step, scope, deferred });
  }
}

const ignored: ReadonlySet<string> = new Set(["Literal", "TSInterfaceDeclaration", "TSTypeAliasDeclaration"]);

function isFunction({ type }: ESTree.Node): boolean {
  return type === "ArrowFunctionExpression" || type === "FunctionExpression" || type === "FunctionDeclaration";
}

/** True where an identifier stands for a value: it declares nothing, and names no property. */
function isValue({ node, parent }: Step, key: string): boolean {
  switch (node.type) {
    case "MemberExpression":
      return key === "object" || node.computed;
    case "Property":
      return key === "key" ? node.computed : parent?.node.type !== "ObjectPattern";
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return key !== "key" || node.computed;
    default:
      return !namesIn[node.type]?.has(key);
  }
}

/** Fields of nodes that hold names and no values. */
const namesIn: Readonly<Partial<Record<string, ReadonlySet<string>>>> = {
  VariableDeclarator: new Set(["id"]),
  FunctionDeclaration: new Set(["id", "params"]),
  FunctionExpression: new Set(["id", "params"]),
  TSDeclareFunction: new Set(["id", "params"]),
  ArrowFunctionExpression: new Set(["params"]),
  ClassDeclaration: new Set(["id"]),
  ClassExpression: new Set(["id"]),
  AssignmentPattern: new Set(["left"]),
  ArrayPattern: new Set(["elements"]),
  RestElement: new Set(["argument"]),
  CatchClause: new Set(["param"]),
  LabeledStatement: new Set(["label"]),
  BreakStatement: new Set(["label"]),
  ContinueStatement: new Set(["label"]),
  MetaProperty: new Set(["meta", "property"]),
  TSEnumDeclaration: new Set(["id"]),
  TSEnumMember: new Set(["id"]),
  TSModuleDeclaration: new Set(["id"]),
  TSParameterProperty: new Set(["parameter"]),
  ExportSpecifier: new Set(["local", "exported"]),
};

/** `<Card>`, and the first name of `<cards.Small>`. */
function isElement({ type }: ESTree.Node, key: string): boolean {
  return (type === "JSXOpeningElement" && key === "name") || (type === "JSXMemberExpression" && key === "object");
}

/** Takes down what is named, with the members read of it there. */
function note(found: Found, step: Step | undefined, root: Root, scope: Scope | undefined): void {
  const origin = outermost(root, scope);
  if (!origin) return;
  const name = origin.root.type === "Identifier" ? origin.root.name : undefined;
  if (name !== undefined && !found.module.bindings.has(name) && !found.module.imports.has(name)) return;
  const { keys, node, around } = climb(step, root);
  if (isLost(around) || isNaming(around, node, scope)) return;
  found.references.push({
    root: name ?? (origin.root as ESTree.ImportExpression).source,
    keys: [...origin.keys, ...keys],
    node,
    called: around?.node.type === "CallExpression" && around.node.callee === node,
  });
}

interface Climbed {
  readonly keys: readonly string[];
  readonly node: ESTree.Node;
  readonly around: Step | undefined;
}

/** The members that are read of what a node names. A module that is loaded has members once it is awaited. */
function climb(step: Step | undefined, root: Root): Climbed {
  const keys: string[] = [];
  let isReady = root.type === "Identifier";
  let node: ESTree.Node = root;
  let around = step;
  for (; around; around = around.parent) {
    const outer: ESTree.Node = around.node;
    if (outer.type === "MemberExpression" && outer.object === node && isReady) {
      const key = keyOf(outer);
      if (key === undefined) break;
      keys.push(key);
    } else if (outer.type === "AwaitExpression" && !isReady) isReady = true;
    else if (!isWrapper(outer)) break;
    node = outer;
  }
  return { keys, node, around };
}

/** True where nothing of a value is left: it stands alone, or is asked only whether it is there or what it equals. */
function isLost(around: Step | undefined): boolean {
  const type = around?.node.type;
  return type === "ExpressionStatement" || type === "UnaryExpression" || type === "BinaryExpression";
}

/** True where a value gets another name, which is followed from there. */
function isNaming(around: Step | undefined, value: ESTree.Node, scope: Scope | undefined): boolean {
  if (around?.node.type !== "VariableDeclarator" || around.node.init !== value) return false;
  const declarator = around.node;
  return patternNames(declarator.id).every((name) => scope?.names.get(name) === declarator);
}
