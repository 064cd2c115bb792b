import type { ESTree } from "rolldown/utils";
import type { SourceModule, TypeDeclaration } from "../source/module.ts";
import type { TypeReference } from "./marker.ts";
import { questionOf, askChecker } from "./type-reading.ts";
import { topLevel, type TypeArgument, type TypeScope } from "./type-scope.ts";
import type { Type } from "./type.ts";

/** Formats all type arguments of a scope, as part of an id. */
export function argumentText(scope: TypeScope): string {
  const keys = [...scope.parameters.values()].map(({ key }) => key);
  return keys.length === 0 ? "" : `<${keys.join(",")}>`;
}

/**
 * Creates the scope of a declaration's body, with its type parameters bound to the reference's arguments or to their
 * defaults.
 */
export function bindParameters(
  module: SourceModule,
  declarations: readonly TypeDeclaration[],
  node: TypeReference,
  scope: TypeScope,
): TypeScope {
  const [first] = declarations;
  const declaredParameters = first && "typeParameters" in first ? (first.typeParameters?.params ?? []) : [];
  if (declaredParameters.length === 0) return topLevel(scope.reading, module);
  const enclosingQuestion = scope.enclosingQuestion ?? questionOf(scope.module, node);
  const parameters = new Map<string, TypeArgument>();
  const inner: TypeScope = { reading: scope.reading, module, parameters, enclosingQuestion };
  for (const [index, parameter] of declaredParameters.entries()) {
    const argumentNode = node.typeArguments?.params[index];
    const of = argumentNode ?? parameter.default;
    if (!of) throw askChecker(scope, node);
    parameters.set(
      parameter.name.name,
      argumentNode ? evaluateArgument(argumentNode, scope) : evaluateArgument(of, inner),
    );
  }
  return inner;
}

function evaluateArgument(node: ESTree.TSType, scope: TypeScope): TypeArgument {
  const type = scope.reading.evaluate(node, scope);
  return { type, key: argumentKey(node, scope, type) };
}

/** Returns the key of a type argument in ids: its id, its text, or its text and module. */
function argumentKey(node: ESTree.TSType, scope: TypeScope, type: Type): string {
  if (type.kind === "named" && type.name !== "") return type.id;
  if (node.type === "TSTypeReference" && node.typeName.type === "Identifier") {
    const parameter = scope.parameters.get(node.typeName.name);
    if (parameter) return parameter.key;
  }
  const text = scope.module.text.slice(node.start, node.end).replace(/\s+/g, " ");
  if (type.kind === "primitive" || type.kind === "literal" || type.kind === "known") return text;
  return `${text}@${scope.module.path}${argumentsIn(node, scope)}`;
}

/** Formats the arguments of the type parameters that a node mentions, as part of an id. */
export function argumentsIn(node: ESTree.Span, scope: TypeScope): string {
  if (scope.parameters.size === 0) return "";
  const mentioned = new Set(scope.module.text.slice(node.start, node.end).match(/[\w$\u0080-\uffff]+/g));
  const used = [...scope.parameters].filter(([name]) => mentioned.has(name));
  return used.length === 0 ? "" : `{${used.map(([name, { key }]) => `${name}=${key}`).join(",")}}`;
}
