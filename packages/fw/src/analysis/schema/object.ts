import type { ESTree } from "rolldown/utils";
import { propertyName } from "../source/expression.ts";
import { rangeOf, refusedType, TypeMemo, askChecker, type NeedsChecker } from "./type-reading.ts";
import type { TypeScope } from "./type-scope.ts";
import { open, type IndexSignature, type SourceRange, type Property, type RefusedType, type Type } from "./type.ts";

export function objectFromMembers(
  members: readonly ESTree.TSSignature[],
  scope: TypeScope,
  giveUp: () => NeedsChecker,
): Type {
  const properties = new Map<string, Property>();
  let index: IndexSignature | undefined;
  for (const member of members) {
    if (member.type === "TSCallSignatureDeclaration" || member.type === "TSConstructSignatureDeclaration") {
      return refusedType("function", "an object that can be called");
    }
    if (member.type === "TSIndexSignature") {
      const signature = indexSignature(member, scope, giveUp);
      if ("kind" in signature) return signature;
      index = signature;
      continue;
    }
    const property = propertyOf(member, scope, giveUp);
    if ("kind" in property) return property;
    if (!properties.has(property.name)) properties.set(property.name, property);
  }
  return { kind: "object", properties, ...(index && { index }) };
}

function indexSignature(
  member: ESTree.TSIndexSignature,
  scope: TypeScope,
  giveUp: () => NeedsChecker,
): IndexSignature | RefusedType {
  const [parameter] = member.parameters;
  if (!parameter) throw giveUp();
  const key = scope.reading.evaluate(parameter.typeAnnotation.typeAnnotation, scope);
  const inner = open(key);
  if (inner.kind !== "primitive") throw giveUp();
  if (inner.name !== "string")
    return { kind: "refused", reason: "number-keys", name: `an index signature of ${inner.name} keys` };
  return { key, value: scope.reading.evaluate(member.typeAnnotation.typeAnnotation, scope) };
}

function propertyOf(member: Member, scope: TypeScope, giveUp: () => NeedsChecker): Property | RefusedType {
  const name = propertyName(member);
  if (name === undefined) throw giveUp();
  return new DeclaredProperty(name, member, scope);
}

type Member = ESTree.TSPropertySignature | ESTree.TSMethodSignature;

/** A property whose type is evaluated on demand. A class, because a closure per property would take more memory. */
class DeclaredProperty implements Property {
  readonly name: string;
  readonly optional: boolean;
  readonly range: SourceRange;
  readonly #member: Member;
  readonly #scope: TypeScope;
  readonly #memo = new TypeMemo();

  constructor(name: string, member: Member, scope: TypeScope) {
    this.name = name;
    this.optional = member.optional;
    this.range = rangeOf(scope, member.key);
    this.#member = member;
    this.#scope = scope;
  }

  type(): Type {
    return this.#memo.read(this.#scope.reading, () => memberType(this.#member, this.#scope));
  }
}

function memberType(member: Member, scope: TypeScope): Type {
  if (member.type === "TSMethodSignature") return methodType(member, scope);
  const annotation = member.typeAnnotation?.typeAnnotation;
  return annotation ? scope.reading.evaluate(annotation, scope) : refusedType("any", "any (it has no type)");
}

function methodType(member: ESTree.TSMethodSignature, scope: TypeScope): Type {
  // In a printed type this may be the method of fw's User.
  if (scope.range && propertyName(member) === "hasRole") throw askChecker(scope, member);
  if (member.kind === "method") return refusedType("function", "a method");
  const [parameter] = member.params;
  const target = parameter && "typeAnnotation" in parameter ? parameter : undefined;
  const annotation = (member.kind === "get" ? member.returnType : target?.typeAnnotation)?.typeAnnotation;
  return annotation ? scope.reading.evaluate(annotation, scope) : refusedType("any", "any (it has no type)");
}
