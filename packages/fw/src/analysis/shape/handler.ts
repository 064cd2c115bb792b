import type { ESTree } from "rolldown/utils";
import { resolveName } from "../resolution/resolve-name.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";

export interface HandlerFunction {
  readonly module: SourceModule;
  readonly node: ESTree.ArrowFunctionExpression | ESTree.Function;
  /** True if the function is written inside the call, so that only the call types it. */
  readonly direct: boolean;
}

/** Resolves a handler expression to a function; undefined if the syntax does not show it. */
export function handlerOf(project: Project, module: SourceModule, node: ESTree.Node): HandlerFunction | undefined {
  const inner = stripSatisfies(node);
  if (inner.type === "ArrowFunctionExpression" || inner.type === "FunctionExpression") {
    return plain(module, inner, inner === stripNonNull(node));
  }
  if (inner.type !== "Identifier") return undefined;
  const resolved = resolveName(project, module, inner.name);
  if (resolved.kind !== "binding") return undefined;
  const { binding } = resolved;
  if (binding.kind === "function" && isOnly(resolved.module, binding.node))
    return plain(resolved.module, binding.node, false);
  if (binding.kind !== "variable" || binding.mutable || binding.node.id.typeAnnotation || !binding.node.init)
    return undefined;
  const init = stripSatisfies(binding.node.init);
  const isFunction = init.type === "ArrowFunctionExpression" || init.type === "FunctionExpression";
  return isFunction ? plain(resolved.module, init, false) : undefined;
}

/**
 * Returns the function; undefined for generic functions, generators and unusual parameters, which only the checker can
 * read.
 */
function plain(module: SourceModule, node: HandlerFunction["node"], direct: boolean): HandlerFunction | undefined {
  const isGenerator = node.type !== "ArrowFunctionExpression" && node.generator;
  return node.typeParameters || isGenerator || hasShiftedParameters(node) ? undefined : { module, node, direct };
}

/** True if one of the first two parameters is `this` or a rest parameter. */
function hasShiftedParameters({ params }: HandlerFunction["node"]): boolean {
  return params
    .slice(0, 2)
    .some((each) => each.type === "RestElement" || (each.type === "Identifier" && each.name === "this"));
}

function isOnly(module: SourceModule, node: ESTree.Function): boolean {
  const name = node.id?.name;
  const all = module.program.body.filter((statement) => {
    const inner =
      statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration"
        ? statement.declaration
        : statement;
    return (inner?.type === "FunctionDeclaration" || inner?.type === "TSDeclareFunction") && inner.id?.name === name;
  });
  return all.length === 1;
}

/** Returns the annotation of the request parameter; undefined without an annotation, null without a parameter. */
export function requestNode({ node }: HandlerFunction, index: number): ESTree.TSType | undefined | null {
  const parameter = node.params[index];
  if (!parameter) return null;
  const pattern = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
  if (pattern.type === "TSParameterProperty" || pattern.type === "RestElement") return undefined;
  return pattern.typeAnnotation?.typeAnnotation;
}

/** Returns the handler's annotated return type, unwrapped from its promise; undefined without one. */
export function responseNode({ node, module }: HandlerFunction): ESTree.TSType | undefined {
  const annotation = node.returnType?.typeAnnotation;
  if (annotation?.type !== "TSTypeReference" || annotation.typeName.type !== "Identifier") return annotation;
  const { name } = annotation.typeName;
  const isPromise =
    (name === "Promise" || name === "PromiseLike") && !module.bindings.has(name) && !module.imports.has(name);
  return isPromise ? annotation.typeArguments?.params[0] : annotation;
}

/** Strips parentheses, `satisfies` and `!`, but not `as`, which changes the type. */
function stripSatisfies(node: ESTree.Node): ESTree.Node {
  const inner = stripNonNull(node);
  return inner.type === "TSSatisfiesExpression" ? stripSatisfies(inner.expression) : inner;
}

/** Strips parentheses and `!`: a function inside them still gets its contextual type from the call. */
function stripNonNull(node: ESTree.Node): ESTree.Node {
  let inner = node;
  while (inner.type === "ParenthesizedExpression" || inner.type === "TSNonNullExpression") inner = inner.expression;
  return inner;
}
