import type { ESTree } from "rolldown/utils";
import { propertyName } from "../source/expression.ts";
import { placeOf, refused, TypeMemo, unsure, type NeedsChecker, type Reading } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { open, type Place, type Property, type RefusedType, type Type } from "./type.ts";

/** The members of an object type or interface. */
export function objectOf(
  reading: Reading,
  members: readonly ESTree.TSSignature[],
  scope: Scope,
  giveUp: () => NeedsChecker,
): Type {
  const properties = new Map<string, Property>();
  let values: Type | undefined;
  for (const member of members) {
    if (member.type === "TSCallSignatureDeclaration" || member.type === "TSConstructSignatureDeclaration") {
      return refused("function", "an object that can be called");
    }
    if (member.type === "TSIndexSignature") {
      const found = indexSignature(reading, member, scope, giveUp);
      if ("kind" in found) return found;
      values = found.values;
      continue;
    }
    const property = propertyOf(reading, member, scope, giveUp);
    if ("kind" in property) return property;
    if (!properties.has(property.name)) properties.set(property.name, property);
  }
  return { kind: "object", properties, ...(values ? { values } : {}) };
}

function indexSignature(
  reading: Reading,
  member: ESTree.TSIndexSignature,
  scope: Scope,
  giveUp: () => NeedsChecker,
): { readonly values: Type } | RefusedType {
  const [parameter] = member.parameters;
  if (!parameter) throw giveUp();
  const key = open(reading.evaluate(parameter.typeAnnotation.typeAnnotation, scope));
  if (key.kind !== "primitive") throw giveUp();
  if (key.name !== "string")
    return { kind: "refused", reason: "number-keys", name: `an index signature of ${key.name} keys` };
  return { values: reading.evaluate(member.typeAnnotation.typeAnnotation, scope) };
}

function propertyOf(
  reading: Reading,
  member: ESTree.TSPropertySignature | ESTree.TSMethodSignature,
  scope: Scope,
  giveUp: () => NeedsChecker,
): Property | RefusedType {
  const name = propertyName(member);
  if (name === undefined) throw giveUp();
  return new WrittenProperty(reading, { name, member, scope });
}

interface Written {
  readonly name: string;
  readonly member: ESTree.TSPropertySignature | ESTree.TSMethodSignature;
  readonly scope: Scope;
}

/** A property whose type is read when it is asked for. There are many: it is one object with what it stands for. */
class WrittenProperty implements Property {
  readonly name: string;
  readonly optional: boolean;
  readonly place: Place;
  readonly #reading: Reading;
  readonly #member: Written["member"];
  readonly #scope: Scope;
  readonly #memo = new TypeMemo();

  constructor(reading: Reading, { name, member, scope }: Written) {
    this.name = name;
    this.optional = member.optional;
    this.place = placeOf(scope, member.key);
    this.#reading = reading;
    this.#member = member;
    this.#scope = scope;
  }

  type(): Type {
    return this.#memo.read(this.#reading, () => memberType(this.#reading, this.#member, this.#scope));
  }
}

function memberType(
  reading: Reading,
  member: ESTree.TSPropertySignature | ESTree.TSMethodSignature,
  scope: Scope,
): Type {
  if (member.type === "TSMethodSignature") return methodType(reading, member, scope);
  const annotation = member.typeAnnotation?.typeAnnotation;
  return annotation ? reading.evaluate(annotation, scope) : refused("any", "any (it has no type)");
}

function methodType(reading: Reading, member: ESTree.TSMethodSignature, scope: Scope): Type {
  // Printed by the checker, it may be the one of fw's User.
  if (scope.place && propertyName(member) === "hasRole") throw unsure(scope, member);
  if (member.kind === "method") return refused("function", "a method");
  const [written] = member.params;
  const target = written && "typeAnnotation" in written ? written : undefined;
  const annotation = (member.kind === "get" ? member.returnType : target?.typeAnnotation)?.typeAnnotation;
  return annotation ? reading.evaluate(annotation, scope) : refused("any", "any (it has no type)");
}
