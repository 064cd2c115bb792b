import type { ESTree } from "rolldown/utils";
import type { App } from "../../model/app.ts";
import { allOfKind, declarationKey } from "../../model/declarations.ts";
import type { Entity } from "../../model/entity.ts";
import type { LoopRead } from "../readers/loop-read.ts";
import { isFunction, keyOf, quote, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { childrenOf } from "../source/nodes-around.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { chainOf, keysTo, originOf } from "../symbols/alias.ts";
import { scopeOf, type LexicalScope } from "../symbols/scope.ts";
import { collectNames, type NameUse, type NodePath } from "../symbols/table.ts";
import { calleesOf } from "../uses/callees.ts";
import { batchFix, batchText, sourceOf, type Loop, type ReadCall } from "./batch.ts";

/** Finds reads of one document for each document of a query, which one request could read together (N+1 queries). */
export function loopReads(project: Project, app: App, modules: readonly SourceModule[]): readonly LoopRead[] {
  const entities = new Map(
    allOfKind(app.packages, "entity").map((entity) => [declarationKey(entity.declaration), entity]),
  );
  if (entities.size === 0) return [];
  return modules
    .filter(({ text }) => /\.(?:get|find)\(/.test(text) && /\b(?:for|map|flatMap|forEach)\b/.test(text))
    .flatMap((module) => {
      const calls = collectNames(module).uses.flatMap((use) => readCallOf(project, module, entities, use) ?? []);
      return withOneFix(calls.flatMap((read) => loopReadOf(project, entities, read) ?? []));
    });
}

/** Among the fixes that declare names, keeps only the first in a module, because two may declare the same names. */
function withOneFix(reads: readonly LoopRead[]): readonly LoopRead[] {
  const first = reads.find(declaresName);
  return reads.map((read) => (read !== first && declaresName(read) ? { ...read, fix: undefined } : read));
}

function declaresName({ fix = [] }: LoopRead): boolean {
  return fix.length > 1;
}

function readCallOf(
  project: Project,
  module: SourceModule,
  entities: ReadonlyMap<string, Entity>,
  { node, step, scope }: NameUse,
): ReadCall | undefined {
  const member = step.node;
  const path = step.parent;
  const call = path?.node;
  if (node.type !== "Identifier" || member.type !== "MemberExpression" || member.object !== node) return undefined;
  const operation = keyOf(member);
  if (operation !== "get" && operation !== "find") return undefined;
  if (path === undefined || call?.type !== "CallExpression" || call.callee !== member) return undefined;
  const entity = entityCalled(project, module, entities, call, scope);
  return entity && { module, call, path, scope, entity, name: node.name, operation };
}

function entityCalled(
  project: Project,
  module: SourceModule,
  entities: ReadonlyMap<string, Entity>,
  call: ESTree.CallExpression,
  scope: LexicalScope | undefined,
): Entity | undefined {
  const [callee, ...others] = calleesOf(project, module, { call, index: 0, scope });
  return callee?.kind === "binding" && others.length === 0 ? entities.get(callee.key) : undefined;
}

function loopReadOf(project: Project, entities: ReadonlyMap<string, Entity>, read: ReadCall): LoopRead | undefined {
  const { module, call, entity, name, operation } = read;
  const loop = loopAround(read.path);
  const id = call.arguments[1];
  const keys = loop && id && keysFrom(loop, id, read.scope);
  if (loop === undefined || keys === undefined || leavesEarly(loop) || writesTo(module, loop, name)) return undefined;
  if (hasOwnContext(read, loop)) return undefined;
  const documents = queriedDocuments(loop.iterated, loop.scope, (each, at) =>
    entityCalled(project, module, entities, each, at),
  );
  if (documents === undefined) return undefined;
  const [field = ""] = keys;
  const isRef =
    keys.length === 1 &&
    documents.entity.refs?.some((ref) => ref.field === field && ref.entity === entity.name) === true;
  if (documents.isStream && !isRef) return undefined;
  return {
    text: quote(module, call),
    at: spanOf(module, call),
    loop: spanOf(module, loop.iterated),
    ref: isRef ? field : undefined,
    together: documents.isStream ? undefined : batchText(read, loop),
    fix: operation === "find" && call.arguments.length === 2 ? batchFix(read, loop) : undefined,
  };
}

/** Finds the innermost loop that runs a read in each iteration; undefined outside of loops. */
function loopAround(path: NodePath): Loop | undefined {
  for (let inside = path, at = path.parent; at; inside = at, at = at.parent) {
    const { node } = at;
    if (node.type === "ForOfStatement" && inside.node === node.body && node.left.type === "VariableDeclaration") {
      const variable = node.left.declarations[0]?.id;
      return (
        variable && {
          node,
          variable,
          iterated: node.right,
          body: node.body,
          inside,
          around: at.parent,
          scope: at.scope,
        }
      );
    }
    if (!isFunction(node)) continue;
    const call = at.parent?.node;
    const callee = call?.type === "CallExpression" && call.arguments[0] === node ? unwrap(call.callee) : undefined;
    const variable = node.params[0];
    const isLoop = callee?.type === "MemberExpression" && loopMethods.has(keyOf(callee) ?? "");
    if (!isLoop || call === undefined || variable === undefined || node.body === null) return undefined;
    return {
      node: call,
      variable,
      iterated: callee.object,
      body: node.body,
      inside,
      around: at.parent?.parent,
      scope: at.parent?.scope,
    };
  }
  return undefined;
}

const loopMethods: ReadonlySet<string> = new Set(["map", "flatMap", "forEach"]);

/** Returns the members of the loop's document that lead to an id; undefined for an id from elsewhere. */
function keysFrom(loop: Loop, id: ESTree.Node, scope: LexicalScope | undefined): readonly string[] | undefined {
  const chain = chainOf(id);
  const origin = chain && originOf(chain.root, scope);
  if (chain === undefined || origin?.root.type !== "Identifier") return undefined;
  const keys = keysTo(loop.variable, origin.root.name);
  const isOfLoop = origin.scope !== undefined && origin.scope === scopeOf(loop.inside.scope, origin.root.name);
  return keys !== undefined && isOfLoop ? [...keys, ...origin.keys, ...chain.keys] : undefined;
}

/** True if each iteration has its own context, such as another tenant's; a batch reads with a single context. */
function hasOwnContext({ call: { arguments: args }, scope }: ReadCall, loop: Loop): boolean {
  const root = args[0] && chainOf(args[0])?.root;
  return root?.type !== "Identifier" || scopeOf(scope, root.name) !== scopeOf(loop.scope, root.name);
}

/** True if an iteration may end the loop, which then reads fewer documents than a batch would. */
function leavesEarly({ node, body }: Loop): boolean {
  return (
    node.type === "ForOfStatement" &&
    contains(body, ({ type }) => type === "BreakStatement" || type === "ReturnStatement")
  );
}

/** True if the loop changes documents of the entity, which a later iteration may read. */
function writesTo(module: SourceModule, { node, body }: Loop, name: string): boolean {
  return (
    node.type === "ForOfStatement" &&
    contains(body, (each) => {
      if (each.type !== "CallExpression" || each.callee.type !== "MemberExpression") return false;
      return sourceOf(module, each.callee.object) === name && writes.has(keyOf(each.callee) ?? "");
    })
  );
}

const writes: ReadonlySet<string> = new Set(["create", "put", "update", "delete"]);

/** True if a node or a descendant passes the test. Skips the contents of functions, which run at another time. */
function contains(node: ESTree.Node, test: (node: ESTree.Node) => boolean): boolean {
  return test(node) || (!isFunction(node) && childrenOf(node).some((child) => contains(child, test)));
}

interface QueriedDocuments {
  readonly entity: Entity;
  /** True if the documents are read page by page while the loop runs. */
  readonly isStream: boolean;
}

type EntityOfCall = (call: ESTree.CallExpression, scope: LexicalScope | undefined) => Entity | undefined;

/** Reads for each document of a query are not reported if its `limit` is at most this. */
const handful = 10;

/** Finds the query whose documents an expression holds; undefined if there is none, or its limit is small. */
function queriedDocuments(
  expression: ESTree.Node,
  scope: LexicalScope | undefined,
  entityOf: EntityOfCall,
  member?: string,
): QueriedDocuments | undefined {
  const bare = unwrap(expression);
  const node = bare.type === "AwaitExpression" ? unwrap(bare.argument) : bare;
  if (node.type === "MemberExpression" && member === undefined)
    return keyOf(node) === "items" ? queriedDocuments(node.object, scope, entityOf, "items") : undefined;
  if (node.type === "Identifier") return documentsOfConstant(node.name, scope, entityOf, member);
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined;
  const method = keyOf(node.callee) ?? "";
  if (resultOf[method] !== (member ?? "") || !startsQuery(node.callee.object)) return undefined;
  const entity = entityOf(node, scope);
  return entity && { entity, isStream: method === "each" };
}

function documentsOfConstant(
  name: string,
  scope: LexicalScope | undefined,
  entityOf: EntityOfCall,
  member: string | undefined,
): QueriedDocuments | undefined {
  const declaring = scopeOf(scope, name);
  const local = declaring?.names.get(name);
  const { id, init } = (local?.kind === "const" && local.declarator) || {};
  const keys = id && keysTo(id, name);
  if (!init || keys === undefined || keys.length > 1 || (keys.length === 1 && member !== undefined)) return undefined;
  return queriedDocuments(init, declaring, entityOf, keys[0] ?? member);
}

/** The member of each method's result that holds the documents; `""` for the result itself. */
const resultOf: Readonly<Record<string, string>> = { all: "", each: "", page: "items" };

/** True for `orders.query()…` without a small limit. */
function startsQuery(query: ESTree.Node): boolean {
  let node = unwrap(query);
  while (node.type === "CallExpression" && node.callee.type === "MemberExpression") {
    const [argument] = node.arguments;
    const method = keyOf(node.callee);
    if (method === "query") return true;
    if (method === "limit" && argument?.type === "Literal" && Number(argument.value) <= handful) return false;
    node = unwrap(node.callee.object);
  }
  return false;
}
