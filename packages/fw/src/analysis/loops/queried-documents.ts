import type { ESTree } from "rolldown/utils";
import type { Entity } from "../../model/entity.ts";
import { keyOf, unwrap } from "../source/expression.ts";
import { keysTo } from "../symbols/alias.ts";
import { scopeOf, type LexicalScope } from "../symbols/scope.ts";

export interface QueriedDocuments {
  readonly entity: Entity;
  /** True if they are read page by page while the loop runs. */
  readonly isStream: boolean;
}

type EntityOfCall = (call: ESTree.CallExpression, scope: LexicalScope | undefined) => Entity | undefined;

/** The largest limit of a query whose documents count as a handful. */
const handful = 10;

/** Finds the query whose documents an expression holds; undefined for others, and for a query of a handful. */
export function queriedDocuments(
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

/** The member of each method's result that holds the documents. */
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
