import type { ESTree } from "rolldown/utils";
import { memberRoot, unwrap } from "../source/expression.ts";
import type { SourceNode } from "../source/module.ts";
import type { Chain } from "../symbols/alias.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import { isOfFramework, resolveQueryName, resolveQueryMember, type NameMeaning } from "./names.ts";
import { find, type VariableScope, type Value } from "./value.ts";
import { Frame } from "./frame.ts";

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

/** A literal counts as a constant only if it leads to an entity, or to code that may query one. */
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
 * Tells whether a value is of a package or the language, and so never an entity. Of a parameter with a written object
 * type, only TypeScript knows.
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

/** Returns the name at the start of a chain of calls and members. */
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
