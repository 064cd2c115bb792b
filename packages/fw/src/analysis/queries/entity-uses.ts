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
import { startsQuery } from "./conditions.ts";

/** A use of an entity, found in the references of its module. */
export interface EntityUse {
  readonly module: SourceModule;
  /** The nodes from the entity's name out to the whole member chain. */
  readonly nodes: readonly ESTree.Node[];
  /**
   * The use: a query, a query on an object that may be an entity, a call that may be a query, an argument for a
   * package, or anything else.
   */
  readonly action: "asks" | "asks-unknown" | "may-ask" | "gives-away" | "holds";
}

/** Returns the keys of constants that hold entities, as built by `declarationKey`. */
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

interface EntitySearch {
  readonly project: Project;
  readonly module: SourceModule;
  /** By `declarationKey`. */
  readonly entities: ReadonlySet<string>;
}

/** Finds the uses of entities in a module, independently of the query interpreter. */
export function findEntityUses(search: EntitySearch): readonly EntityUse[] {
  return [...namedUses(search), ...unknownQueryCalls(search)];
}

/** Finds calls of `query` on any object that is not a package's, because, for example, a parameter may be an entity. */
function unknownQueryCalls({ project, module }: EntitySearch): readonly EntityUse[] {
  if (!module.text.includes("query")) return [];
  const uses: EntityUse[] = [];
  const waiting: ESTree.Node[] = [module.program];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const isQuery = node.type === "CallExpression" && startsQuery(node);
    const callee = node.type === "CallExpression" && isQuery !== false ? unwrap(node.callee) : undefined;
    if (callee?.type === "MemberExpression" && keyOf(callee) === "query" && !isOfPackage(project, module, callee))
      uses.push({ module, nodes: [node], action: isQuery === true ? "asks-unknown" : "may-ask" });
    for (const child of childrenOf(node, typeKeys)) waiting.push(child);
  }
  return uses;
}

function namedUses(search: EntitySearch): readonly EntityUse[] {
  const { project, module } = search;
  const results = new Map<string, boolean>();
  const candidates = Array.from(symbolsOf(module).byName, ([name, references]) => {
    return mayAlias(search, name) ? references : [];
  });
  return candidates.flat().flatMap((reference): readonly EntityUse[] => {
    const { root } = reference;
    if (typeof root !== "string") return [];
    const access = memberAccess(project, module, reference);
    if (isPassedBy(access) || isLocalAlias(reference, access)) return [];
    const action = entityAction(search, access, (keys) => {
      const all = [...reference.path, ...keys];
      const text = [root, ...all].join("\0");
      const is = results.get(text) ?? leadsToEntity(search, root, all);
      results.set(text, is);
      return is;
    });
    return action === undefined ? [] : [{ module, nodes: nodesOf(reference, access), action }];
  });
}

/**
 * Classifies the use of an entity; undefined for anything else. `isEntity` returns true if the members lead to an
 * entity.
 */
function entityAction(
  { project, module }: EntitySearch,
  { keys, around }: Access,
  isEntity: (keys: readonly string[]) => boolean,
): EntityUse["action"] | undefined {
  const queryIndex = keys.indexOf("query");
  if (queryIndex !== -1) return isEntity(keys.slice(0, queryIndex)) ? "asks" : undefined;
  if (!isEntity(keys)) return undefined;
  return isPackageArgument(project, module, around) ? "gives-away" : "holds";
}

/** False for a name that cannot be an entity: a function, a type, or a declaration of another kind. */
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

/** True for any method call, because it may be `Object.freeze({ orders })`, which is treated like its literal. */
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

/** True for an argument of a package's function, even inside literals: fw does not read package code. */
function isPackageArgument(project: Project, module: SourceModule, around: NodePath): boolean {
  let step: NodePath | undefined = around;
  while (step && literals.has(step.node.type)) step = step.parent;
  const call = step?.node;
  if (call?.type !== "CallExpression" && call?.type !== "NewExpression") return false;
  return isOfPackage(project, module, call.callee);
}

/** True for an export of a package, and for its members. */
function isOfPackage(project: Project, module: SourceModule, node: ESTree.Node): boolean {
  const root = memberRoot(node);
  return root.type === "Identifier" && resolveName(project, module, root.name).kind === "external";
}

const literals: ReadonlySet<string> = new Set(["Property", "ObjectExpression", "ArrayExpression", "SpreadElement"]);
