import type { ESTree } from "rolldown/utils";
import { grouped } from "../../lib/grouped.ts";
import { declarationKey } from "../../model/declarations.ts";
import { isDeclarationName } from "../../model/kinds.ts";
import type { DeclaredModule } from "../declared.ts";
import type { QueriesRead } from "../readers/query.ts";
import { memberAccess } from "../resolution/member-access.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import type { Finding } from "../rule.ts";
import { quote, unwrapFrozen, unwrap, isFunction, keyOf, propertyName } from "../source/expression.ts";
import { ModuleCache } from "../source/module-cache.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { OpenProject, Project } from "../source/project.ts";
import { isLocalAlias, isPassedBy, type Access } from "../symbols/access.ts";
import { constantAccesses, ownNameAccesses } from "../symbols/parameters.ts";
import { symbolsOf } from "../symbols/table.ts";
import { partNamed } from "../uses/parts.ts";
import { functionAt } from "../uses/callees.ts";
import { targetsOf, type Target } from "../uses/targets.ts";
import { keyAt } from "../queries/report.ts";
import { declareTenants, tenantDataOf, tenantVariable, type SeparatedData, type TenantData } from "./data.ts";
import { unfollowed, unfollowedFunction, unmarked } from "./findings.ts";
import { TenantFlow, type QueriedData } from "./flow.ts";
import { childrenOf } from "../source/nodes-around.ts";

/** A reference to a top-level name, with the bindings it resolves to. */
interface ResolvedUse {
  readonly module: SourceModule;
  readonly access: Access;
  readonly targets: readonly Target[];
}

/**
 * Reports uses of tenant data that are not proven to be inside its tenant, and data without a `tenant` setting. Does
 * nothing if the application declares no Tenant.
 */
export class TenantReader {
  readonly #project: OpenProject;
  readonly #uses: ModuleCache<readonly ResolvedUse[]>;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#uses = new ModuleCache(project);
  }

  read(modules: readonly DeclaredModule[], queries: QueriesRead): readonly Finding[] {
    if (!declareTenants(modules)) return [];
    const data = tenantDataOf(modules);
    const queried = queriedData(data, queries);
    const flow = new TenantFlow(this.#project, data, queried);
    for (const { declared } of modules) for (const each of declared) flow.handler(each);
    flow.follow();
    const uses = modules.flatMap(({ module }) => this.#uses.of(module, () => resolvedUses(this.#project, module)));
    return [
      ...[...data.data.values()]
        .filter(({ kind, isMarked }) => readByClients.has(kind) && !isMarked)
        .map((each) => unmarked(each, tenantVariable(data))),
      ...flow.findings,
      ...uses.flatMap((use) => unprovenUse(this.#project, data, use, flow)),
      ...unprovenQueries(data, queries, flow),
      ...unfollowedFunctions(this.#project, uses, flow),
    ];
  }
}

/**
 * Kinds with data that is read by an id or key from a client, so that the declaration must set a tenant. A queue
 * without the setting is noticed in its worker, which then has no tenant; a limit only counts.
 */
const readByClients: ReadonlySet<SeparatedData["kind"]> = new Set(["entity", "bucket", "feed"]);

/** Maps the locations that read queries to the data they read. */
function queriedData({ data }: TenantData, { uses }: QueriesRead): QueriedData {
  const read = uses.flatMap(({ entity, at }) => {
    const own = data.get(declarationKey(entity));
    return own === undefined ? [] : [{ key: keyAt(at), own }];
  });
  return new Map([...grouped(read, ({ key }) => key)].map(([key, all]) => [key, all.map(({ own }) => own)]));
}

function resolvedUses(project: Project, module: SourceModule): readonly ResolvedUse[] {
  const cache = new Map<string, ResolvedUse["targets"]>();
  return symbolsOf(module).references.flatMap((reference): readonly ResolvedUse[] => {
    const access = memberAccess(project, module, reference);
    if (isPassedBy(access) || isLocalAlias(reference, access)) return [];
    const { root, path } = reference;
    const keys = [...path, ...access.keys];
    const text = [typeof root === "string" ? root : root.start, ...keys].join("\0");
    const targets = cache.get(text) ?? namedTargets(project, module, { root, keys });
    cache.set(text, targets);
    return targets.length === 0 ? [] : [{ module, access, targets }];
  });
}

function namedTargets(
  project: Project,
  module: SourceModule,
  reference: Parameters<typeof targetsOf>[2],
): readonly Target[] {
  return targetsOf(project, module, reference).filter(({ name }) => name !== "");
}

/** Reports uses of tenant data except queries, calls in `flow.proven`, and arguments of declarations. */
function unprovenUse(
  project: Project,
  { data }: TenantData,
  { module, access, targets }: ResolvedUse,
  flow: TenantFlow,
): readonly Finding[] {
  const { node, around, isCalled } = access;
  return targets.flatMap(({ module: path, name, keys }) => {
    const own = data.get(declarationKey({ module: path, variable: name }));
    if (own?.tenants === undefined) return [];
    const isOperation = isCalled && keys.length === 1;
    if (isOperation && (keys[0] === "query" || flow.proven.has(around.node))) return [];
    if (!isOperation && isArgumentOfDeclaration(project, module, access)) return [];
    return [unfollowed(spanOf(module, node), quote(module, node), own)];
  });
}

/** True for an argument of a declaration, such as a Worker's queue. */
function isArgumentOfDeclaration(project: Project, module: SourceModule, { around, isCalled }: Access): boolean {
  const call = around.node;
  if (isCalled || call.type !== "CallExpression") return false;
  const callee = new ReferenceResolver(project).resolve(module, call.callee);
  return callee.kind === "fw" && isDeclarationName(callee.name);
}

function unprovenQueries(
  { data }: TenantData,
  { uses }: QueriesRead,
  { provenQueries }: TenantFlow,
): readonly Finding[] {
  return uses.flatMap(({ entity, at }) => {
    const own = data.get(declarationKey(entity));
    return own?.tenants === undefined || provenQueries.has(keyAt(at)) ? [] : [unfollowed(at, "this query", own)];
  });
}

/** Finds references through which functions that use tenant data may receive an untracked context. */
function unfollowedFunctions(project: Project, uses: readonly ResolvedUse[], flow: TenantFlow): readonly Finding[] {
  const indexes = grouped(flow.sensitive(), ({ placed }) => placed.fn as ESTree.Node);
  const isFollowed = (fn: ESTree.Node, access: Access): boolean =>
    (indexes.get(fn) ?? []).every(({ index }) => isFollowedAccess(access, index, flow.followedArguments));
  const inner = [...indexes].flatMap(([fn, [first]]) => {
    const local = flow.locals.get(fn);
    const accesses = local ? constantAccesses(local.module, local.name, local.scope) : [];
    const place = first?.placed;
    const byOwnName = place ? ownNameAccesses(place.module, place.fn) : [];
    return [...accesses.filter((access) => !isFollowed(fn, access)), ...byOwnName].map((access) => ({
      module: place?.module,
      access,
    }));
  });
  const outer = uses.filter(({ access, targets }) => {
    return targets.some((target) => {
      const fn = functionAt(project, target)?.fn;
      if (fn) return indexes.has(fn) && !isFollowed(fn, access);
      const owners = target.keys.flatMap((_, count) => {
        return functionAt(project, { ...target, keys: target.keys.slice(0, count) })?.fn ?? [];
      });
      return owners.some((owner) => indexes.has(owner)) || holdsOneOf(project, target, indexes);
    });
  });
  const modules = new Set(flow.sensitive().map(({ placed }) => placed.module));
  const own = [...modules].flatMap((module) => ownMemberUses(module, indexes).map((node) => ({ module, node })));
  const references = [...inner, ...outer].map(({ module, access: { node } }) => ({ module, node }));
  return [...references, ...own].flatMap(({ module, node }) =>
    module === undefined ? [] : [unfollowedFunction(spanOf(module, node), quote(module, node))],
  );
}

/** True for an access that exports a function, passes it as a followed argument, or calls it with one. */
function isFollowedAccess(
  { node, around, isCalled }: Access,
  index: number,
  contexts: ReadonlySet<ESTree.Node>,
): boolean {
  const outer = around.node;
  if (outer.type.startsWith("Export") || contexts.has(node)) return true;
  const argument = isCalled && outer.type === "CallExpression" ? outer.arguments[index] : undefined;
  return argument !== undefined && contexts.has(argument);
}

/** True for an object literal with one of the functions as a member. */
function holdsOneOf(
  project: Project,
  { module: path, name, keys }: Target,
  functions: ReadonlyMap<ESTree.Node, unknown>,
): boolean {
  const module = keys.length === 0 ? project.module(path) : undefined;
  const part = module && partNamed(module, name);
  const literal = module && part && unwrapFrozen(module, part.node);
  if (literal?.type !== "ObjectExpression") return false;
  return literal.properties.some((each) => each.type === "Property" && functions.has(unwrap(each.value)));
}

/** Lists uses of `this` in methods of a literal, if they may reach a member that is one of `functions`. */
function ownMemberUses(
  { program }: SourceModule,
  functions: ReadonlyMap<ESTree.Node, unknown>,
): readonly ESTree.Node[] {
  return descendants(program).flatMap((node) => {
    if (node.type !== "ObjectExpression") return [];
    const members = node.properties.flatMap((each) => (each.type === "Property" ? [each] : []));
    const keys = new Set(members.filter(({ value }) => functions.has(unwrap(value))).map(propertyName));
    if (keys.size === 0) return [];
    return members.flatMap(({ value }) => {
      const fn = unwrap(value);
      return isFunction(fn) ? selfUses(fn, keys) : [];
    });
  });
}

/**
 * Lists the uses of `this` and `super` in a method, except accesses to members whose names are known and not in `keys`.
 */
function selfUses(method: ESTree.Node, keys: ReadonlySet<string | undefined>): readonly ESTree.Node[] {
  const inside = descendants(method, ofOtherObject);
  const harmless = new Set(
    inside.flatMap((node) => {
      const key = node.type === "MemberExpression" ? keyOf(node) : undefined;
      return node.type === "MemberExpression" && key !== undefined && !keys.has(key) ? [unwrap(node.object)] : [];
    }),
  );
  return inside.filter((node) => isSelf(node) && !harmless.has(node));
}

function isSelf({ type }: ESTree.Node): boolean {
  return type === "ThisExpression" || type === "Super";
}

/** True for code with its own `this`. */
function ofOtherObject({ type }: ESTree.Node): boolean {
  return type.startsWith("Class") || type === "FunctionExpression" || type === "FunctionDeclaration";
}

/**
 * Lists a node and its descendants, without skipped nodes and their descendants. Avoids recursion, because sources may
 * be nested deeply.
 */
function descendants(node: ESTree.Node, isSkipped: (inner: ESTree.Node) => boolean = () => false): ESTree.Node[] {
  const all = [node];
  for (const each of all) for (const child of childrenOf(each)) if (!isSkipped(child)) all.push(child);
  return all;
}
