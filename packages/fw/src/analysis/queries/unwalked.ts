import type { ESTree } from "rolldown/utils";
import { declarationKey } from "../../model/declarations.ts";
import type { DeclaredModule } from "../declared.ts";
import { memberAccess } from "../resolution/member-access.ts";
import { resolveName } from "../resolution/resolve-name.ts";
import { keyOf, memberRoot, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { childrenOf } from "../source/nodes-around.ts";
import type { Project } from "../source/project.ts";
import { isLocalAlias, isPassedBy, type Access } from "../symbols/access.ts";
import { symbolsOf, type Reference, type NodePath } from "../symbols/table.ts";
import { typeKeys } from "../symbols/value-position.ts";
import { targetsOf } from "../uses/targets.ts";

/** A place that asks an entity, or hands it on, as the references of its module have it. */
export interface EntityReference {
  readonly module: SourceModule;
  /** From the name to all that is read of it. */
  readonly nodes: readonly ESTree.Node[];
  /**
   * What it does: asks for a query, also of what may be an entity, gives the entity to code of others, or has all of
   * it.
   */
  readonly does: "asks" | "asks-unknown" | "gives-away" | "holds";
}

/** The constants that hold entities, by `declarationKey`. */
export function entityKeys(modules: readonly DeclaredModule[]): ReadonlySet<string> {
  return new Set(
    modules.flatMap(({ module, declared }) =>
      declared.flatMap(({ call }) =>
        call.name === "Entity" && call.variable !== undefined
          ? [declarationKey({ module: module.path, variable: call.variable })]
          : [],
      ),
    ),
  );
}

/** The module whose references are looked at, and the constants of the application that hold entities. */
interface EntitySearch {
  readonly project: Project;
  readonly module: SourceModule;
  /** By `declarationKey`. */
  readonly entities: ReadonlySet<string>;
}

/** Where a module asks entities, or has all of one: whatever the walk over queries makes of it. */
export function entityReferences(search: EntitySearch): readonly EntityReference[] {
  return [...named(search), ...unnamed(search)];
}

/** Calls of `query()`, whatever they are calls of: a parameter may be an entity. */
function unnamed({ project, module }: EntitySearch): readonly EntityReference[] {
  if (!module.text.includes("query")) return [];
  const found: EntityReference[] = [];
  const waiting: ESTree.Node[] = [module.program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const callee = node.type === "CallExpression" && node.arguments.length === 0 ? unwrap(node.callee) : undefined;
    if (callee?.type === "MemberExpression" && keyOf(callee) === "query" && !isOfPackage(project, module, callee))
      found.push({ module, nodes: [node], does: "asks-unknown" });
    for (const child of childrenOf(node, typeKeys)) waiting.push(child);
  }
  return found;
}

function named(search: EntitySearch): readonly EntityReference[] {
  const { project, module } = search;
  const known = new Map<string, boolean>();
  const candidates = Array.from(symbolsOf(module).byName, ([name, references]) => {
    return mayAlias(search, name) ? references : [];
  });
  return candidates.flat().flatMap((reference): readonly EntityReference[] => {
    const { root } = reference;
    if (typeof root !== "string") return [];
    const access = memberAccess(project, module, reference);
    if (isPassedBy(access) || isLocalAlias(reference, access)) return [];
    const does = doneTo(search, access, (keys) => {
      const all = [...reference.path, ...keys];
      const text = [root, ...all].join("\0");
      const is = known.get(text) ?? leadsToEntity(search, root, all);
      known.set(text, is);
      return is;
    });
    return does === undefined ? [] : [{ module, nodes: nodesOf(reference, access), does }];
  });
}

/**
 * What is done with an entity, where `isEntity` is true of the members that are read before; undefined for anything
 * else.
 */
function doneTo(
  { project, module }: EntitySearch,
  { keys, around }: Access,
  isEntity: (keys: readonly string[]) => boolean,
): EntityReference["does"] | undefined {
  const asked = keys.indexOf("query");
  if (asked !== -1) return isEntity(keys.slice(0, asked)) ? "asks" : undefined;
  if (!isEntity(keys)) return undefined;
  return isGivenAway(project, module, around) ? "gives-away" : "holds";
}

/**
 * False for a name that stands for something else, whatever is read of it: a function, a type, a declaration of another
 * kind.
 */
function mayAlias({ project, module, entities }: EntitySearch, name: string): boolean {
  const resolved = resolveName(project, module, name);
  if (resolved.kind !== "binding") return resolved.kind === "namespace" || resolved.kind === "expression";
  const { binding } = resolved;
  if (binding.kind === "pattern") return true;
  if (binding.kind !== "variable" || !binding.node.init) return false;
  const isCall = unwrap(binding.node.init).type === "CallExpression";
  return (
    !isCall ||
    isFrozen(binding.node.init) ||
    entities.has(declarationKey({ module: resolved.module.path, variable: binding.name }))
  );
}

/** `Object.freeze({ orders })` holds what its literal does. */
function isFrozen(node: ESTree.Node): boolean {
  const call = unwrap(node);
  return call.type === "CallExpression" && unwrap(call.callee).type === "MemberExpression";
}

function leadsToEntity({ project, module, entities }: EntitySearch, root: string, keys: readonly string[]): boolean {
  const targets = targetsOf(project, module, { root, keys });
  return targets.some(({ module: path, name, keys: rest }) => {
    return rest.length === 0 && entities.has(declarationKey({ module: path, variable: name }));
  });
}

function nodesOf({ node: root, step: first }: Reference, { node: last }: Access): readonly ESTree.Node[] {
  const nodes: ESTree.Node[] = [root];
  for (let step: NodePath | undefined = first; step && nodes.at(-1) !== last; step = step.parent) nodes.push(step.node);
  return nodes;
}

/** True for an argument of a call of a package, also inside of literals: what it does with an entity cannot be seen. */
function isGivenAway(project: Project, module: SourceModule, around: NodePath): boolean {
  let step: NodePath | undefined = around;
  while (step && literals.has(step.node.type)) step = step.parent;
  const call = step?.node;
  if (call?.type !== "CallExpression" && call?.type !== "NewExpression") return false;
  return isOfPackage(project, module, call.callee);
}

/** True for a name of a package, and what is read of it. */
function isOfPackage(project: Project, module: SourceModule, node: ESTree.Node): boolean {
  const root = memberRoot(node);
  return root.type === "Identifier" && resolveName(project, module, root.name).kind === "external";
}

const literals: ReadonlySet<string> = new Set(["Property", "ObjectExpression", "ArrayExpression", "SpreadElement"]);
