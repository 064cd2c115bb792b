import type { AST } from "@handlebars/parser";

/** The parts of Handlebars' syntax tree that templates use, as unions discriminated by `type`. */
export interface Program {
  readonly body: readonly Statement[];
  readonly blockParams?: readonly string[];
  readonly loc: AST.SourceLocation;
}

export interface Located {
  readonly loc: AST.SourceLocation;
}

interface Content extends Located {
  readonly type: "ContentStatement";
  readonly value: string;
}

interface Comment extends Located {
  readonly type: "CommentStatement";
}

export interface Call extends Located {
  readonly path: Expression;
  readonly params: readonly Expression[];
  readonly hash?: { readonly pairs: readonly Pair[] };
}

interface Pair extends Located {
  readonly key: string;
  readonly value: Expression;
}

export interface Mustache extends Call {
  readonly type: "MustacheStatement";
  readonly escaped: boolean;
}

export interface Block extends Call {
  readonly type: "BlockStatement";
  readonly program?: Program;
  readonly inverse?: Program;
}

export interface Partial extends Located {
  readonly type: "PartialStatement";
  readonly name: Expression;
  readonly params: readonly Expression[];
  readonly hash?: { readonly pairs: readonly Pair[] };
}

/** For example, `{{#> card}} … {{/card}}`. */
export interface PartialBlock extends Omit<Partial, "type"> {
  readonly type: "PartialBlockStatement";
  readonly program: Program;
}

interface Unsupported extends Located {
  readonly type: "Decorator" | "DecoratorBlock";
}

export type Statement = Content | Comment | Mustache | Block | Partial | PartialBlock | Unsupported;

export interface Path extends Located {
  readonly type: "PathExpression";
  readonly data: boolean;
  readonly depth: number;
  readonly parts: readonly (string | Expression)[];
  readonly original: string;
}

export interface SubExpression extends Call {
  readonly type: "SubExpression";
}

interface Literal extends Located {
  readonly type: "StringLiteral" | "NumberLiteral" | "BooleanLiteral";
  readonly value: string | number | boolean;
}

interface Nothing extends Located {
  readonly type: "UndefinedLiteral" | "NullLiteral";
}

interface Collection extends Located {
  readonly type: "ArrayLiteral" | "HashLiteral";
}

export type Expression = Path | SubExpression | Literal | Nothing | Collection;

/** True for `{{name}}`, a bare word that may be a helper. `this.name` and `./name` are always data. */
export function isWord(expression: Expression): expression is Path & { readonly parts: readonly [string] } {
  return (
    expression.type === "PathExpression" &&
    !expression.data &&
    expression.parts.length === 1 &&
    typeof expression.parts[0] === "string" &&
    isUnscoped(expression)
  );
}

/** True for a path that may start with a name from `as |…|`, because it does not name a context itself. */
export function isUnscoped({ depth, original }: Path): boolean {
  return depth === 0 && !/^(?:this\b|\.)/.test(original);
}
