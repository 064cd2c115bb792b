import type { Path } from "./ast.ts";
import { TemplateError } from "./template-error.ts";

/**
 * The meaning of names at one point in a template: a frame for the template, and one for each enclosing `each` and
 * `with`.
 */
export interface Scope {
  /** The JavaScript variable with the data that plain names refer to. */
  readonly context: string;
  readonly parent?: Scope;
  /** Names of `as |item index|`, mapped to JavaScript expressions. */
  readonly names: ReadonlyMap<string, string>;
  /** `@index`, `@key`, `@first`, `@last`, mapped to JavaScript expressions; absent outside `each`. */
  readonly loop?: Readonly<Record<"index" | "key" | "first" | "last", string>>;
}

export function outer(scope: Scope, depth: number, path: Path): Scope {
  let target = scope;
  for (let i = 0; i < depth; i++) {
    if (target.parent === undefined)
      throw new TemplateError(`${path.original} leads outside the template`, "remove a ../");
    target = target.parent;
  }
  return target;
}

/** Returns the expression for a name of `as |…|`, in this scope or an enclosing one; undefined for other names. */
export function namedIn(scope: Scope, name: string): string | undefined {
  for (let s: Scope | undefined = scope; s !== undefined; s = s.parent) {
    const expression = s.names.get(name);
    if (expression !== undefined) return expression;
  }
  return undefined;
}

/** Returns the variables of the `each` that is `depth` levels out from the innermost. */
export function loopOf(scope: Scope, depth: number, path: Path): NonNullable<Scope["loop"]> {
  let remaining = depth;
  for (let s: Scope | undefined = scope; s !== undefined; s = s.parent) {
    if (s.loop === undefined) continue;
    if (remaining === 0) return s.loop;
    remaining--;
  }
  throw new TemplateError(
    `${path.original} has no {{#each}} around it`,
    "write it inside the {{#each}} that it counts",
  );
}
