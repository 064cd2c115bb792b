import type { Path } from "./ast.ts";
import { TemplateError } from "./template-error.ts";

/** What names mean at one point of a template: one frame for the template and one for each `each` and `with` around. */
export interface Scope {
  /** JavaScript variable of the data that plain names are read from. */
  readonly context: string;
  readonly parent?: Scope;
  /** Names given by `as |item index|`, to JavaScript expressions. */
  readonly names: ReadonlyMap<string, string>;
  /** `@index`, `@key`, `@first`, `@last`, to JavaScript expressions; absent outside of `each`. */
  readonly loop?: Readonly<Record<"index" | "key" | "first" | "last", string>>;
}

/** The scope that `../` leads to. */
export function outer(scope: Scope, depth: number, path: Path): Scope {
  let found = scope;
  for (let i = 0; i < depth; i++) {
    if (found.parent === undefined)
      throw new TemplateError(`${path.original} leads out of the template`, "remove a ../");
    found = found.parent;
  }
  return found;
}

/** What a name of `as |…|` stands for, in this scope or one around it. */
export function namedIn(scope: Scope, name: string): string | undefined {
  for (let s: Scope | undefined = scope; s !== undefined; s = s.parent) {
    const expression = s.names.get(name);
    if (expression !== undefined) return expression;
  }
  return undefined;
}

/** The variables of the innermost `each` around, or of one further out. */
export function loopOf(scope: Scope, depth: number, path: Path): NonNullable<Scope["loop"]> {
  let left = depth;
  for (let s: Scope | undefined = scope; s !== undefined; s = s.parent) {
    if (s.loop === undefined) continue;
    if (left === 0) return s.loop;
    left--;
  }
  throw new TemplateError(`${path.original} has no {{#each}} around it`);
}
