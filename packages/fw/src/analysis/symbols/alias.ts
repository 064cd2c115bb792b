import type { ESTree } from "rolldown/utils";
import { keyOf, propertyName, unwrap } from "../source/expression.ts";
import { scopeOf, type LexicalScope } from "./scope.ts";

/** The start of a member chain: a name or an `import()`. */
export type Root = (ESTree.Node & { readonly type: "Identifier"; readonly name: string }) | ESTree.ImportExpression;

/** A member chain such as `auth.users.grant`. */
export interface Chain {
  readonly root: Root;
  readonly keys: readonly string[];
}

/** Parses an expression as a member chain; undefined for other expressions and computed members. */
export function chainOf(node: ESTree.Node): Chain | undefined {
  const keys: string[] = [];
  let inner = unwrap(node);
  while (inner.type === "MemberExpression") {
    const key = keyOf(inner);
    if (key === undefined) return undefined;
    keys.push(key);
    inner = unwrap(inner.object);
  }
  const root = inner.type === "AwaitExpression" ? unwrap(inner.argument) : inner;
  if (root.type !== (inner === root ? "Identifier" : "ImportExpression")) return undefined;
  return { root, keys: keys.toReversed() };
}

/** True if a pattern binds only named members of the value: no list items, defaults or rest elements. */
function isPlainPattern(pattern: ESTree.Node): boolean {
  if (pattern.type === "Identifier") return true;
  if (pattern.type !== "ObjectPattern") return false;
  return pattern.properties.every(
    (each) => each.type === "Property" && propertyName(each) !== undefined && isPlainPattern(each.value),
  );
}

/**
 * Returns the members that lead to a name in a pattern: `users` and `grant` for `give` in `{ users: { grant: give } }`.
 * Undefined for defaults and rest elements.
 */
export function keysTo(pattern: ESTree.Node, name: string): readonly string[] | undefined {
  if (pattern.type === "Identifier") return pattern.name === name ? [] : undefined;
  if (pattern.type === "ArrayPattern")
    return findKeys(
      pattern.elements.map((each, index) => [String(index), each]),
      name,
    );
  if (pattern.type !== "ObjectPattern") return undefined;
  return findKeys(
    pattern.properties.map((each) => (each.type === "Property" ? [propertyName(each), each.value] : [undefined, null])),
    name,
  );
}

function findKeys(
  parts: readonly (readonly [string | undefined, ESTree.Node | null])[],
  name: string,
): readonly string[] | undefined {
  for (const [key, part] of parts) {
    const rest = part && keysTo(part, name);
    if (rest && key !== undefined) return [key, ...rest];
  }
  return undefined;
}

/** True for a constant that is an alias of a member chain: `const { users } = auth`. */
export function isAlias(declarator: ESTree.VariableDeclarator, kind: ESTree.VariableDeclaration["kind"]): boolean {
  const { id, init } = declarator;
  return kind === "const" && init !== null && isPlainPattern(id) && chainOf(init) !== undefined;
}

/** A member chain whose root is resolved through aliases. */
export interface Origin extends Chain {
  /** The scope that declares the root; undefined at the top level. */
  readonly scope: LexicalScope | undefined;
}

/** Resolves a root through aliases to a top-level name; undefined for a local name. */
export function outermost(root: Root, scope: LexicalScope | undefined): Chain | undefined {
  const origin = originOf(root, scope);
  return origin?.scope === undefined ? origin : undefined;
}

/** Resolves a root through constants that are aliases. Undefined if the aliases form a cycle. */
export function originOf(root: Root, scope: LexicalScope | undefined): Origin | undefined {
  let from = scope;
  let at = root;
  const keys: string[] = [];
  let visited: Set<ESTree.Node> | undefined;
  while (at.type === "Identifier") {
    const { name } = at;
    from = scopeOf(from, name);
    if (!from) break;
    const { declarator, kind } = from.names.get(name) ?? {};
    const chain =
      declarator?.init && kind !== undefined && isAlias(declarator, kind) ? chainOf(declarator.init) : undefined;
    if (!declarator || !chain) return { root: at, keys, scope: from };
    if (visited?.has(declarator)) return undefined;
    (visited ??= new Set()).add(declarator);
    keys.unshift(...chain.keys, ...(keysTo(declarator.id, name) ?? []));
    at = chain.root;
  }
  return { root: at, keys, scope: undefined };
}
