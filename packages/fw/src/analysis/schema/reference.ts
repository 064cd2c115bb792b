import type { ESTree } from "rolldown/utils";
import { assertNever } from "../../lib/assert-never.ts";
import { resolveExport, resolveName, type Resolved } from "../resolution/resolve-name.ts";
import { isExported } from "../source/exports.ts";
import type { SourceModule, TypeDeclaration } from "../source/module.ts";
import { argumentText, bind } from "./arguments.ts";
import { fromChecked } from "./checked.ts";
import { classType } from "./class.ts";
import { enumMembers } from "./enum.ts";
import { globalType, isAugmentedType } from "./global.ts";
import { frameworkType, type Reference } from "./marker.ts";
import { objectOf } from "./object.ts";
import { NeedsChecker, placeOf, questionKey, questionOf, refused, unsure, memoized } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { open, unionOf, type NamedType, type Type } from "./type.ts";

export function reference(node: ESTree.TSTypeReference, scope: Scope): Type {
  const name = node.typeName;
  if (name.type === "Identifier") {
    const parameter = scope.parameters.get(name.name);
    if (parameter) return parameter.type;
    return resolvedType(resolveName(scope.reading.project, scope.module, name.name), noNames, node, scope);
  }
  const [head, ...rest] = entityPath(name) ?? noNames;
  if (head === undefined) throw unsure(scope, node);
  return resolvedType(resolveName(scope.reading.project, scope.module, head), rest, node, scope);
}

const noNames: readonly string[] = [];

/** `A.B.C` as names, from the left. */
function entityPath(name: ESTree.TSTypeName | ESTree.Expression): readonly string[] | undefined {
  if (name.type === "Identifier") return [name.name];
  if (name.type === "TSQualifiedName") return joined(entityPath(name.left), name.right.name);
  if (name.type === "MemberExpression" && !name.computed && name.property.type === "Identifier") {
    return joined(entityPath(name.object), name.property.name);
  }
  return undefined;
}

function joined(left: readonly string[] | undefined, right: string): readonly string[] | undefined {
  return left && [...left, right];
}

/** The type that a resolved name means, `rest` being the names after the dots. */
export function resolvedType(resolved: Resolved, rest: readonly string[], node: Reference, scope: Scope): Type {
  const [next] = rest;
  switch (resolved.kind) {
    case "binding":
      return declared(resolved.module, resolved.binding.name, rest, node, scope);
    case "namespace": {
      const inner = next === undefined ? undefined : resolveExport(scope.reading.project, resolved.module, next);
      if (!inner) throw unsure(scope, node);
      return resolvedType(inner, rest.slice(1), node, scope);
    }
    case "fw":
      return frameworkType([resolved.name, ...rest], node, scope);
    case "unknown":
      if (next !== undefined) throw unsure(scope, node);
      return globalType(resolved.name, node, scope);
    case "external":
    case "expression":
      throw unsure(scope, node);
    default:
      return assertNever(resolved);
  }
}

function declared(module: SourceModule, name: string, rest: readonly string[], node: Reference, scope: Scope): Type {
  const declarations = module.types.get(name);
  const [first] = declarations ?? [];
  if (!declarations || !first || isAugmentedType(scope.reading, module, name)) throw unsure(scope, node);
  if (rest.length > 0) return inside(first, declarations, rest, node, scope);
  if (declarations.some((each) => each.type === "TSModuleDeclaration")) throw unsure(scope, node);
  return named(module, name, declarations, node, scope);
}

/** `Color.Red`: one member of an enum. */
function inside(
  first: TypeDeclaration,
  declarations: readonly TypeDeclaration[],
  rest: readonly string[],
  node: Reference,
  scope: Scope,
): Type {
  const members = first.type === "TSEnumDeclaration" && declarations.length === 1 ? enumMembers(first) : undefined;
  const value = rest.length === 1 ? members?.get(rest[0] ?? "") : undefined;
  if (value === undefined) throw unsure(scope, node);
  return { kind: "literal", value };
}

function named(
  module: SourceModule,
  name: string,
  declarations: readonly TypeDeclaration[],
  node: Reference,
  scope: Scope,
): Type {
  const [first] = declarations;
  if (!first?.id) throw unsure(scope, node);
  const inner = bind(module, declarations, node, scope);
  const id = `${module.path}#${name}${argumentText(inner)}`;
  const known = scope.reading.named.get(id);
  if (known && inner.parameters.size === 0) return known;
  const made: NamedType = {
    kind: "named",
    id,
    name,
    exported: isExported(module, name),
    place: { module, start: first.id.start, end: first.id.end },
    target: memoized(scope.reading, () => body(declarations, inner)),
  };
  scope.reading.named.set(id, made);
  return made;
}

/** What a declaration stands for. What its own syntax does not settle is asked for by its name. */
function body(declarations: readonly TypeDeclaration[], scope: Scope): Type {
  scope.reading.touched.add(scope.module.path);
  const [first] = declarations;
  const name = first?.id ?? { start: 0, end: 0 };
  const question = scope.enclosingQuestion ?? questionOf(scope.module, name);
  const answer = scope.enclosingQuestion ? undefined : scope.reading.answers.get(questionKey(question));
  if (answer) return fromChecked(answer, placeOf(scope, name), scope.reading);
  if (first?.type === "TSTypeAliasDeclaration" && declarations.length === 1) {
    return scope.reading.evaluate(first.typeAnnotation, scope);
  }
  const giveUp = (): NeedsChecker => new NeedsChecker(question);
  if (first?.type === "TSEnumDeclaration" && declarations.length === 1) return enumType(first, giveUp);
  if (first?.type === "ClassDeclaration" || first?.type === "ClassExpression") {
    if (declarations.length > 1) return refused("class", first.id?.name ?? "a class");
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
  scope: Scope,
  giveUp: () => NeedsChecker,
): Type {
  const own = objectOf(
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

/** What a class extends; undefined for what is no class of the application. */
function superType(node: ESTree.Class, scope: Scope, giveUp: () => NeedsChecker): Type | undefined {
  if (node.superClass?.type !== "Identifier") return undefined;
  const { start, end } = node.superClass;
  const heritage: Reference = { start, end, typeArguments: node.superTypeArguments ?? null };
  const found = heritageType(node.superClass, heritage, scope, giveUp);
  return found.kind === "object" ? found : undefined;
}

function heritageType(
  expression: ESTree.Expression,
  heritage: Reference,
  scope: Scope,
  giveUp: () => NeedsChecker,
): Type {
  const [head, ...rest] = entityPath(expression) ?? [];
  if (head === undefined) throw giveUp();
  const resolved = resolveName(scope.reading.project, scope.module, head);
  // Only the whole interface can be asked for: what it extends is an expression.
  const closed = { ...scope, enclosingQuestion: scope.enclosingQuestion ?? giveUp().question };
  const found = open(resolvedType(resolved, rest, heritage, closed));
  if (found.kind === "object" || found.kind === "refused") return found;
  throw giveUp();
}
