import type { ESTree } from "rolldown/utils";
import { assertNever } from "../../lib/assert-never.ts";
import { resolveExport, resolveName, type Resolved } from "../resolution/resolve-name.ts";
import { isExported } from "../source/exports.ts";
import type { SourceModule, TypeDeclaration } from "../source/module.ts";
import { argumentText, bindParameters } from "./arguments.ts";
import { fromChecked } from "./checked-type.ts";
import { classType } from "./class.ts";
import { enumMembers } from "./enum.ts";
import { globalType, isAugmentedType } from "./global.ts";
import { frameworkType, type TypeReference } from "./marker.ts";
import { objectFromMembers } from "./object.ts";
import { NeedsChecker, rangeOf, questionKey, questionOf, refusedType, askChecker, memoized } from "./type-reading.ts";
import type { TypeScope } from "./type-scope.ts";
import { open, unionOf, type NamedType, type Type } from "./type.ts";

export function evaluateReference(node: ESTree.TSTypeReference, scope: TypeScope): Type {
  const name = node.typeName;
  if (name.type === "Identifier") {
    const parameter = scope.parameters.get(name.name);
    if (parameter) return parameter.type;
    return resolvedType(resolveName(scope.reading.project, scope.module, name.name), noNames, node, scope);
  }
  const [head, ...rest] = entityPath(name) ?? noNames;
  if (head === undefined) throw askChecker(scope, node);
  return resolvedType(resolveName(scope.reading.project, scope.module, head), rest, node, scope);
}

const noNames: readonly string[] = [];

/** Returns the names in `A.B.C`; undefined for other expressions. */
function entityPath(name: ESTree.TSTypeName | ESTree.Expression): readonly string[] | undefined {
  if (name.type === "Identifier") return [name.name];
  if (name.type === "TSQualifiedName") return append(entityPath(name.left), name.right.name);
  if (name.type === "MemberExpression" && !name.computed && name.property.type === "Identifier") {
    return append(entityPath(name.object), name.property.name);
  }
  return undefined;
}

function append(left: readonly string[] | undefined, right: string): readonly string[] | undefined {
  return left && [...left, right];
}

/** Evaluates the type behind a resolved name; `rest` are the names after the dots. */
export function resolvedType(resolved: Resolved, rest: readonly string[], node: TypeReference, scope: TypeScope): Type {
  const [next] = rest;
  switch (resolved.kind) {
    case "binding":
      return declaredType(resolved.module, resolved.binding.name, rest, node, scope);
    case "namespace": {
      const inner = next === undefined ? undefined : resolveExport(scope.reading.project, resolved.module, next);
      if (!inner) throw askChecker(scope, node);
      return resolvedType(inner, rest.slice(1), node, scope);
    }
    case "fw":
      return frameworkType([resolved.name, ...rest], node, scope);
    case "unknown":
      if (next !== undefined) throw askChecker(scope, node);
      return globalType(resolved.name, node, scope);
    case "external":
    case "expression":
      throw askChecker(scope, node);
    default:
      return assertNever(resolved);
  }
}

function declaredType(
  module: SourceModule,
  name: string,
  rest: readonly string[],
  node: TypeReference,
  scope: TypeScope,
): Type {
  const declarations = module.types.get(name);
  const [first] = declarations ?? [];
  if (!declarations || !first || isAugmentedType(scope.reading, module, name)) throw askChecker(scope, node);
  if (rest.length > 0) return enumMemberType(first, declarations, rest, node, scope);
  if (declarations.some((each) => each.type === "TSModuleDeclaration")) throw askChecker(scope, node);
  return namedType(module, name, declarations, node, scope);
}

/** Evaluates a member of an enum: `Color.Red`. */
function enumMemberType(
  first: TypeDeclaration,
  declarations: readonly TypeDeclaration[],
  rest: readonly string[],
  node: TypeReference,
  scope: TypeScope,
): Type {
  const members = first.type === "TSEnumDeclaration" && declarations.length === 1 ? enumMembers(first) : undefined;
  const value = rest.length === 1 ? members?.get(rest[0] ?? "") : undefined;
  if (value === undefined) throw askChecker(scope, node);
  return { kind: "literal", value };
}

function namedType(
  module: SourceModule,
  name: string,
  declarations: readonly TypeDeclaration[],
  node: TypeReference,
  scope: TypeScope,
): Type {
  const [first] = declarations;
  if (!first?.id) throw askChecker(scope, node);
  const cached = scope.reading.namedTypes.get(first);
  if (cached) return cached;
  const inner = bindParameters(module, declarations, node, scope);
  const type: NamedType = {
    kind: "named",
    id: `${module.path}#${name}${argumentText(inner)}`,
    name,
    exported: isExported(module, name),
    range: { module, start: first.id.start, end: first.id.end },
    target: memoized(scope.reading, () => declarationBody(declarations, inner)),
  };
  if (inner.parameters.size === 0) scope.reading.namedTypes.set(first, type);
  return type;
}

/** Evaluates the body of a declaration. If its syntax is not enough, asks the checker by name. */
function declarationBody(declarations: readonly TypeDeclaration[], scope: TypeScope): Type {
  scope.reading.modules.add(scope.module.path);
  const [first] = declarations;
  const name = first?.id ?? { start: 0, end: 0 };
  const question = scope.enclosingQuestion ?? questionOf(scope.module, name);
  const answer = scope.enclosingQuestion ? undefined : scope.reading.answers.get(questionKey(question));
  if (answer) return fromChecked(answer, rangeOf(scope, name), scope.reading);
  if (first?.type === "TSTypeAliasDeclaration" && declarations.length === 1) {
    return scope.reading.evaluate(first.typeAnnotation, scope);
  }
  const giveUp = (): NeedsChecker => new NeedsChecker(question);
  if (first?.type === "TSEnumDeclaration" && declarations.length === 1) return enumType(first, giveUp);
  if (first?.type === "ClassDeclaration" || first?.type === "ClassExpression") {
    if (declarations.length > 1) return refusedType("class", first.id?.name ?? "a class");
    return classType(first, scope, () => superType(first, scope, giveUp));
  }
  const interfaces = declarations.filter((each) => each.type === "TSInterfaceDeclaration");
  if (interfaces.length !== declarations.length) throw giveUp();
  return interfaceType(interfaces, scope, giveUp);
}

function enumType(declaration: ESTree.TSEnumDeclaration, giveUp: () => NeedsChecker): Type {
  const members = enumMembers(declaration);
  if (!members) throw giveUp();
  return unionOf([...members.values()].map((value) => ({ kind: "literal", value })));
}

function interfaceType(
  declarations: readonly ESTree.TSInterfaceDeclaration[],
  scope: TypeScope,
  giveUp: () => NeedsChecker,
): Type {
  const own = objectFromMembers(
    declarations.flatMap((each) => each.body.body),
    scope,
    giveUp,
  );
  const bases = declarations
    .flatMap((each) => each.extends)
    .map((each) => heritageType(each.expression, each, scope, giveUp));
  if (own.kind !== "object" || bases.length === 0) return own;
  const properties = new Map(own.properties);
  let index = own.index;
  for (const each of bases) {
    if (each.kind !== "object") return each;
    for (const [name, property] of each.properties) if (!properties.has(name)) properties.set(name, property);
    index ??= each.index;
  }
  return { kind: "object", properties, ...(index && { index }) };
}

/** Evaluates a class's base class; undefined if the base is not a plain name or its type is refused. */
function superType(node: ESTree.Class, scope: TypeScope, giveUp: () => NeedsChecker): Type | undefined {
  if (node.superClass?.type !== "Identifier") return undefined;
  const { start, end } = node.superClass;
  const heritage: TypeReference = { start, end, typeArguments: node.superTypeArguments ?? null };
  const base = heritageType(node.superClass, heritage, scope, giveUp);
  return base.kind === "object" ? base : undefined;
}

function heritageType(
  expression: ESTree.Expression,
  heritage: TypeReference,
  scope: TypeScope,
  giveUp: () => NeedsChecker,
): Type {
  const [head, ...rest] = entityPath(expression) ?? [];
  if (head === undefined) throw giveUp();
  const resolved = resolveName(scope.reading.project, scope.module, head);
  // The checker can resolve only the whole interface, because a base is an expression.
  const closed = { ...scope, enclosingQuestion: scope.enclosingQuestion ?? giveUp().question };
  const type = open(resolvedType(resolved, rest, heritage, closed));
  if (type.kind === "object" || type.kind === "refused") return type;
  throw giveUp();
}
