import { nearest } from "../../lib/suggest.ts";
import { isUnscoped, isWord, type Call, type Expression, type Path, type SubExpression } from "./ast.ts";
import { helperCall, helperNames, isHelper } from "./helpers.ts";
import { compileLocal, localHelper } from "./local-helpers.ts";
import { TemplateError } from "./template-error.ts";
import { loopOf, namedIn, outer, type Scope } from "./scope.ts";

/**
 * Generates the JavaScript of an expression. In compiled code, `h` holds the escapers and accessors, `r` is the root
 * data, and `p` is the page.
 */
export function compileExpression(expression: Expression, scope: Scope): string {
  switch (expression.type) {
    case "PathExpression":
      return compilePath(expression, scope);
    case "SubExpression":
      return compileCall(expression, scope);
    case "StringLiteral":
    case "NumberLiteral":
    case "BooleanLiteral":
      return JSON.stringify(expression.value);
    case "UndefinedLiteral":
      return "undefined";
    case "NullLiteral":
      return "null";
    default:
      throw new TemplateError("lists and objects cannot be written in a template", "build the value in the handler");
  }
}

/** Compiles a helper call: `(eq a b)`, or `{{markdown text}}`. */
export function compileCall(call: SubExpression | Call, scope: Scope): string {
  if (!isWord(call.path)) throw new TemplateError("only a helper can be called", `the helpers are ${helperNames()}`);
  const name = call.path.parts[0];
  const local = localHelper(call);
  if (local !== undefined) return compileLocal(local, call, (argument) => compileExpression(argument, scope));
  if (!isHelper(name)) throw unknownHelper(name);
  const extra = call.hash?.pairs[0];
  if (extra !== undefined)
    throw new TemplateError(`${name} takes no ${extra.key}=`, "write its arguments without names");
  return helperCall(
    name,
    call.params.map((param) => compileExpression(param, scope)),
  );
}

function unknownHelper(name: string): TemplateError {
  const suggestion = nearest(name, helperNames().split(", "));
  const hint = suggestion === undefined ? `the helpers are ${helperNames()}` : `did you mean ${suggestion}?`;
  return new TemplateError(`there is no helper named ${name}`, hint);
}

function compilePath(path: Path, scope: Scope): string {
  if (path.data) return compileVariable(path, scope);
  const [head, ...tail] = path.parts;
  const local = typeof head === "string" && isUnscoped(path) ? namedIn(scope, head) : undefined;
  if (local !== undefined) return properties(local, tail);
  return properties(outer(scope, path.depth, path).context, path.parts);
}

function compileVariable(path: Path, scope: Scope): string {
  const [name, ...tail] = path.parts;
  if (name === "flash" && tail.length === 0) return "p.flash()";
  if (name === "language" && tail.length === 0) return "p.language(L)";
  if (name === "root") return properties("r", tail);
  if (name === "index" || name === "key" || name === "first" || name === "last") {
    return properties(loopOf(scope, path.depth, path)[name], tail);
  }
  const suggestion = typeof name === "string" ? nearest(name, variables) : undefined;
  throw new TemplateError(
    `there is no ${path.original}`,
    suggestion === undefined
      ? "available: @index, @key, @first, @last, @root, @flash and @language"
      : `did you mean @${suggestion}?`,
  );
}

const variables = ["index", "key", "first", "last", "root", "flash", "language"];

function properties(from: string, parts: Path["parts"]): string {
  return parts.reduce<string>((object, name) => {
    if (typeof name !== "string") {
      const hint = "write {{#with (lookup a b)}} around what reads its parts";
      throw new TemplateError("a path may only contain names between its dots", hint);
    }
    return `h.get(${object}, ${JSON.stringify(name)})`;
  }, from);
}
