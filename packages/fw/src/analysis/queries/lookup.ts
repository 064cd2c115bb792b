import type { ESTree } from "rolldown/utils";
import { memberRoot, unwrap, isFunction, keyOf, type FunctionNode } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import { type Chain, chainOf, keysTo } from "../symbols/alias.ts";
import { resolveName, resolveExport, type Resolved } from "../resolution/resolve-name.ts";
import { find, type VariableScope, type Value } from "./value.ts";
import { Frame } from "./frame.ts";
import { ReferenceResolver, type Referent } from "../resolution/reference-resolver.ts";
import type { DeclarationKey } from "../../model/declaration-ref.ts";
import type { Project } from "../source/project.ts";
import { isAssigned } from "../symbols/access.ts";
import { symbolsOf } from "../symbols/table.ts";

export function nameValue(node: ESTree.Node & { readonly name: string }, frame: Frame): Value {
  const variable = frame.find(node.name);
  if (!variable) return topLevelValue(node, frame);
  if (variable.owner !== frame) variable.captured = true;
  return frame.valueOf(variable);
}

export function topLevelValue(node: ESTree.Node, frame: Frame): Value {
  return readTracked(frame, node, () => resolveQueryName(frame.run.project, frame.module, node));
}

export function topLevelMember(chain: Chain, frame: Frame): Value {
  return readTracked(frame, chain.root, () => resolveQueryMember(frame.run.project, frame.module, chain));
}

/** Reads a name's value. Records the literals behind a name that leads to an entity or to code that may query one. */
function readTracked(frame: Frame, node: ESTree.Node, read: () => NameMeaning): Value {
  const { result, literals } = frame.run.project.trackLiterals(read);
  if (literals.length > 0 && mayQuery(result)) frame.run.report.addConstantReads(literals, frame.place(node));
  return valueOf(frame, result);
}

function mayQuery(meaning: NameMeaning): boolean {
  if (meaning === undefined) return false;
  return (
    meaning.kind === "entity" || queryMethods.test(meaning.module.text.slice(meaning.node.start, meaning.node.end))
  );
}

const queryMethods = /\b(?:query|where|orderBy|sortBy|limit|offset)\b/;

function valueOf(frame: Frame, meaning: NameMeaning): Value {
  if (meaning?.kind === "function") return { ...meaning, scope: undefined };
  return meaning?.kind === "expression" ? constantValue(frame, meaning) : meaning;
}

/** Evaluates a module constant, which may be a query or an alias of an entity. */
function constantValue({ run }: Frame, { module, node }: SourceNode): Value {
  if (!evaluatedTypes.has(node.type)) return undefined;
  if (run.constants.has(node)) return run.constants.get(node);
  if (node.type === "CallExpression" && isOfFramework(run.project, module, node)) return undefined;
  run.constants.set(node, undefined);
  const value = new Frame(run, { module }).value(node);
  run.constants.set(node, value);
  return value;
}

const evaluatedTypes: ReadonlySet<string> = new Set([
  "CallExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "Identifier",
  "MemberExpression",
]);

/** True if the root of a member chain is a top-level name. */
export function hasTopLevelRoot(node: ESTree.MemberExpression, scope: VariableScope | undefined): boolean {
  const root = memberRoot(node);
  return root.type === "Identifier" && !find(scope, root.name);
}

/** Maximum length of a chain of names; an object behind a longer one counts as a possible entity. */
const longestChain = 20;

/**
 * True for a value that is never an entity: one from a package or the language, or a local object literal. Unclear for
 * a parameter with an inline object type, which only TypeScript can judge.
 */
export function isForeign(node: ESTree.Node, { run, module, scope }: NameContext, depth = 0): boolean | "unclear" {
  const root = rootOf(node);
  if (root === undefined || depth > longestChain) return false;
  const variable = find(scope, root.name);
  if (variable) {
    if (variable.isPlain) return "unclear";
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

type NameContext = Pick<Frame, "run" | "module" | "scope">;

/** Returns the name at the start of a chain of members and calls without arguments; undefined for other expressions. */
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

/** The meaning of a top-level expression for queries. */
type NameMeaning =
  | { readonly kind: "entity"; readonly entities: readonly DeclarationKey[] }
  | { readonly kind: "function"; readonly module: SourceModule; readonly node: FunctionNode }
  /** A top-level constant, which may be a query. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Node }
  | undefined;

/** Resolves a top-level name, or a member of a namespace or literal. */
function resolveQueryName(project: Project, module: SourceModule, node: ESTree.Node): NameMeaning {
  const bare = unwrap(node);
  if (bare.type === "Identifier") return meaningOf(project, resolveName(project, module, bare.name));
  const key = bare.type === "MemberExpression" ? keyOf(bare) : undefined;
  if (bare.type !== "MemberExpression" || key === undefined) return undefined;
  return memberMeaning(project, module, new ReferenceResolver(project).resolve(module, bare.object), bare, [key]);
}

function resolveQueryMember(project: Project, module: SourceModule, { root, keys }: Chain): NameMeaning {
  if (root.type !== "Identifier") return undefined;
  if (keys.length === 0) return resolveQueryName(project, module, root);
  const object = new ReferenceResolver(project).path(module, root, root.name, keys.slice(0, -1));
  return memberMeaning(project, module, object, root, keys);
}

function memberMeaning(
  project: Project,
  module: SourceModule,
  object: Referent,
  at: ESTree.Node,
  keys: readonly string[],
): NameMeaning {
  const key = keys.at(-1) ?? "";
  if (object.kind === "namespace") {
    const resolved = resolveExport(project, object.module, key);
    return resolved && meaningOf(project, resolved);
  }
  const whole = new ReferenceResolver(project).memberOf({ module, node: at }, object, key);
  return whole.kind === "expression" ? literalMember(project, whole) : shorthandMember(project, object, key);
}

function literalMember(project: Project, { module, node }: SourceNode): NameMeaning {
  return entityHolding(project, module, node) ?? expressionMeaning(module, node);
}

/** Resolves a shorthand method of a literal: `{ list }`. */
function shorthandMember(project: Project, object: ReturnType<ReferenceResolver["resolve"]>, key: string): NameMeaning {
  if (object.kind !== "expression" || object.node.type !== "ObjectExpression") return undefined;
  const value = new ReferenceResolver(project).property(object, key);
  return value && "node" in value && value.node.type === "Identifier"
    ? resolveQueryName(project, value.module, value.node)
    : undefined;
}

function meaningOf(project: Project, resolved: Resolved): NameMeaning {
  if (resolved.kind === "expression") return expressionMeaning(resolved.module, resolved.node);
  if (resolved.kind !== "binding") return undefined;
  const { module, binding } = resolved;
  if (binding.kind === "function") return { kind: "function", module, node: binding.node };
  if ((binding.kind !== "variable" && binding.kind !== "pattern") || !binding.node.init) return undefined;
  if (binding.mutable && symbolsOf(module).byName.get(binding.name)?.some(isAssigned)) return undefined;
  if (binding.kind === "pattern") {
    const [chain, keys] = [chainOf(binding.node.init), keysTo(binding.node.id, binding.name)];
    return chain && keys && resolveQueryMember(project, module, { root: chain.root, keys: [...chain.keys, ...keys] });
  }
  if (isEntity(project, module, binding.node.init))
    return { kind: "entity", entities: [{ module: module.path, variable: binding.name }] };
  return expressionMeaning(module, binding.node.init);
}

function expressionMeaning(module: SourceModule, node: ESTree.Node): NameMeaning {
  const bare = unwrap(node);
  return isFunction(bare) ? { kind: "function", module, node: bare } : { kind: "expression", module, node: bare };
}

function entityHolding(project: Project, module: SourceModule, node: ESTree.Node): NameMeaning {
  if (!isEntity(project, module, node)) return undefined;
  for (const binding of module.bindings.values()) {
    if (binding.kind === "variable" && binding.node.init && unwrap(binding.node.init) === unwrap(node))
      return { kind: "entity", entities: [{ module: module.path, variable: binding.name }] };
  }
  return undefined;
}

function isOfFramework(project: Project, module: SourceModule, { callee }: ESTree.CallExpression): boolean {
  return new ReferenceResolver(project).resolve(module, callee).kind === "fw";
}

function isEntity(project: Project, module: SourceModule, node: ESTree.Node): boolean {
  const call = unwrap(node);
  if (call.type !== "CallExpression") return false;
  const referent = new ReferenceResolver(project).resolve(module, call.callee);
  return referent.kind === "fw" && referent.name === "Entity";
}
