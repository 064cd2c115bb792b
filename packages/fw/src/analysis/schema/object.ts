import type { ESTree } from "rolldown/utils";
import { propertyName } from "../source/expression.ts";
import { placeOf, refused, TypeMemo, unsure, type NeedsChecker } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { open, type IndexSignature, type Place, type Property, type RefusedType, type Type } from "./type.ts";

/** The members of an object type or interface. */
export function objectOf(members: readonly ESTree.TSSignature[], scope: Scope, giveUp: () => NeedsChecker): Type {
  const properties = new Map<string, Property>();
  let index: IndexSignature | undefined;
  for (const member of members) {
    if (member.type === "TSCallSignatureDeclaration" || member.type === "TSConstructSignatureDeclaration") {
      return refused("function", "an object that can be called");
    }
    if (member.type === "TSIndexSignature") {
      const found = indexSignature(member, scope, giveUp);
      if ("kind" in found) return found;
      index = found;
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
  scope: Scope,
  giveUp: () => NeedsChecker,
): IndexSignature | RefusedType {
  const [parameter] = member.parameters;
  if (!parameter) throw giveUp();
  const key = scope.reading.evaluate(parameter.typeAnnotation.typeAnnotation, scope);
  const opened = open(key);
  if (opened.kind !== "primitive") throw giveUp();
  if (opened.name !== "string")
    return { kind: "refused", reason: "number-keys", name: `an index signature of ${opened.name} keys` };
  return { key, value: scope.reading.evaluate(member.typeAnnotation.typeAnnotation, scope) };
}

function propertyOf(member: Member, scope: Scope, giveUp: () => NeedsChecker): Property | RefusedType {
  const name = propertyName(member);
  if (name === undefined) throw giveUp();
  return new WrittenProperty(name, member, scope);
}

type Member = ESTree.TSPropertySignature | ESTree.TSMethodSignature;

/** A property whose type is read when it is asked for. There are many: it is one object with what it stands for. */
class WrittenProperty implements Property {
  readonly name: string;
  readonly optional: boolean;
  readonly place: Place;
  readonly #member: Member;
  readonly #scope: Scope;
  readonly #memo = new TypeMemo();

  constructor(name: string, member: Member, scope: Scope) {
    this.name = name;
    this.optional = member.optional;
    this.place = placeOf(scope, member.key);
    this.#member = member;
    this.#scope = scope;
  }

  type(): Type {
    return this.#memo.read(this.#scope.reading, () => memberType(this.#member, this.#scope));
  }
}

function memberType(member: Member, scope: Scope): Type {
  if (member.type === "TSMethodSignature") return methodType(member, scope);
  const annotation = member.typeAnnotation?.typeAnnotation;
  return annotation ? scope.reading.evaluate(annotation, scope) : refused("any", "any (it has no type)");
}

function methodType(member: ESTree.TSMethodSignature, scope: Scope): Type {
  // Printed by the checker, it may be the one of fw's User.
  if (scope.place && propertyName(member) === "hasRole") throw unsure(scope, member);
  if (member.kind === "method") return refused("function", "a method");
  const [written] = member.params;
  const target = written && "typeAnnotation" in written ? written : undefined;
  const annotation = (member.kind === "get" ? member.returnType : target?.typeAnnotation)?.typeAnnotation;
  return annotation ? scope.reading.evaluate(annotation, scope) : refused("any", "any (it has no type)");
}
