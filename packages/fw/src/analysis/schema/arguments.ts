import type { ESTree } from "rolldown/utils";
import type { SourceModule, TypeDeclaration } from "../source/module.ts";
import type { Reference } from "./marker.ts";
import { questionOf, unsure } from "./reading.ts";
import { topLevel, type Argument, type Scope } from "./scope.ts";
import type { Type } from "./type.ts";

/** All arguments of a scope, as part of an id. */
export function argumentText(scope: Scope): string {
  const keys = [...scope.parameters.values()].map(({ key }) => key);
  return keys.length === 0 ? "" : `<${keys.join(",")}>`;
}

/** The scope of a declaration's body: its parameters mean the reference's arguments, or their defaults. */
export function bind(
  module: SourceModule,
  declarations: readonly TypeDeclaration[],
  node: Reference,
  scope: Scope,
): Scope {
  const [first] = declarations;
  const declaredParameters = first && "typeParameters" in first ? (first.typeParameters?.params ?? []) : [];
  if (declaredParameters.length === 0) return topLevel(scope.reading, module);
  const enclosingQuestion = scope.enclosingQuestion ?? questionOf(scope.module, node);
  const parameters = new Map<string, Argument>();
  const inner: Scope = { reading: scope.reading, module, parameters, enclosingQuestion };
  for (const [index, parameter] of declaredParameters.entries()) {
    const given = node.typeArguments?.params[index];
    const of = given ?? parameter.default;
    if (!of) throw unsure(scope, node);
    parameters.set(parameter.name.name, given ? argument(given, scope) : argument(of, inner));
  }
  return inner;
}

function argument(node: ESTree.TSType, scope: Scope): Argument {
  const type = scope.reading.evaluate(node, scope);
  return { type, key: argumentKey(node, scope, type) };
}

/** Names an argument inside an id: by its own id, its text, or its text and where that text stands. */
function argumentKey(node: ESTree.TSType, scope: Scope, type: Type): string {
  if (type.kind === "named" && type.name !== "") return type.id;
  if (node.type === "TSTypeReference" && node.typeName.type === "Identifier") {
    const parameter = scope.parameters.get(node.typeName.name);
    if (parameter) return parameter.key;
  }
  const text = scope.module.text.slice(node.start, node.end).replace(/\s+/g, " ");
  if (type.kind === "primitive" || type.kind === "literal" || type.kind === "known") return text;
  return `${text}@${scope.module.path}${argumentsIn(node, scope)}`;
}

/** The arguments of the type parameters that a node mentions, as part of an id. */
export function argumentsIn(node: ESTree.Span, scope: Scope): string {
  if (scope.parameters.size === 0) return "";
  const mentioned = new Set(scope.module.text.slice(node.start, node.end).match(/[\w$\u0080-\uffff]+/g));
  const used = [...scope.parameters].filter(([name]) => mentioned.has(name));
  return used.length === 0 ? "" : `{${used.map(([name, { key }]) => `${name}=${key}`).join(",")}}`;
}
