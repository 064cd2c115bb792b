import type { ESTree } from "rolldown/utils";
import { keyOf, propertyName, unwrap } from "../source/expression.ts";
import { scopeOf, type Scope } from "./scope.ts";

/** What a chain of members begins with: a name, or a module that `import()` loads when the code runs. */
export type Root = (ESTree.Node & { readonly type: "Identifier"; readonly name: string }) | ESTree.ImportExpression;

/** `auth.users.grant`: what it begins with, and the members read of it. */
export interface Chain {
  readonly root: Root;
  readonly keys: readonly string[];
}

/** The chain that an expression is; undefined for any other expression, and where a member is computed. */
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

/** True where every name of a pattern stands for one member of what is taken apart. */
function isPlainPattern(pattern: ESTree.Node): boolean {
  if (pattern.type === "Identifier") return true;
  if (pattern.type !== "ObjectPattern") return false;
  return pattern.properties.every(
    (each) => each.type === "Property" && propertyName(each) !== undefined && isPlainPattern(each.value),
  );
}

/**
 * The members that lead to a name of a pattern: of `{ users: { grant: give } }` to `give`, `users` and `grant`. Undefined
 * where another value may stand in, and for what is left over.
 */
export function keysTo(pattern: ESTree.Node, name: string): readonly string[] | undefined {
  if (pattern.type === "Identifier") return pattern.name === name ? [] : undefined;
  if (pattern.type === "ArrayPattern")
    return keyed(
      pattern.elements.map((each, index) => [String(index), each]),
      name,
    );
  if (pattern.type !== "ObjectPattern") return undefined;
  return keyed(
    pattern.properties.map((each) => (each.type === "Property" ? [propertyName(each), each.value] : [undefined, null])),
    name,
  );
}

function keyed(
  parts: readonly (readonly [string | undefined, ESTree.Node | null])[],
  name: string,
): readonly string[] | undefined {
  for (const [key, part] of parts) {
    const rest = part && keysTo(part, name);
    if (rest && key !== undefined) return [key, ...rest];
  }
  return undefined;
}

/** True for a constant that gives another name to what a chain leads to: `const { users } = auth`. */
export function isAlias(declarator: ESTree.VariableDeclarator, kind: ESTree.VariableDeclaration["kind"]): boolean {
  const { id, init } = declarator;
  return kind === "const" && init !== null && isPlainPattern(id) && chainOf(init) !== undefined;
}

/** What a chain's root comes down to. */
export interface Origin extends Chain {
  /** The scope whose name it is; undefined outside of all scopes. */
  readonly scope: Scope | undefined;
}

/** What a chain's root comes down to, outside of all scopes; undefined where it is a name of a scope. */
export function outermost(root: Root, scope: Scope | undefined): Chain | undefined {
  const origin = originOf(root, scope);
  return origin?.scope === undefined ? origin : undefined;
}

/**
 * What a chain's root comes down to, through constants that are other names of something: a name that stands for itself.
 * Undefined where constants stand for each other.
 */
export function originOf(root: Root, scope: Scope | undefined): Origin | undefined {
  let from = scope;
  let at = root;
  const keys: string[] = [];
  let followed: Set<ESTree.Node> | undefined;
  while (at.type === "Identifier") {
    const { name } = at;
    from = scopeOf(from, name);
    if (!from) break;
    const { declarator, kind } = from.names.get(name) ?? {};
    const chain =
      declarator?.init && kind !== undefined && isAlias(declarator, kind) ? chainOf(declarator.init) : undefined;
    if (!declarator || !chain) return { root: at, keys, scope: from };
    if (followed?.has(declarator)) return undefined;
    (followed ??= new Set()).add(declarator);
    keys.unshift(...chain.keys, ...(keysTo(declarator.id, name) ?? []));
    at = chain.root;
  }
  return { root: at, keys, scope: undefined };
}
