import type { NeedsChecker } from "./type-reading.ts";
import {
  isScalar,
  membersOf,
  neverType,
  open,
  ownMarks,
  unionOf,
  withMarks,
  type IndexSignature,
  type ObjectType,
  type Property,
  type Type,
  constraintsOf,
} from "./type.ts";

type GiveUp = () => NeedsChecker;

/** The maximum number of combinations of union members to compute. */
const mostCombinations = 400;

/** Evaluates `A & B`: unions distribute, objects merge, and a primitive with objects is branded. */
export function intersect(parts: readonly Type[], giveUp: GiveUp): Type {
  let members: readonly Type[] | undefined;
  for (const part of parts) {
    // `"a" | string` is `string`, even with a constraint.
    const partMembers = membersOf(unionOf([part]));
    if (!members) members = partMembers;
    else if (members.length * partMembers.length > mostCombinations) throw giveUp();
    else members = members.flatMap((left) => partMembers.map((right) => intersectPair(left, right, giveUp)));
  }
  return unionOf(members ?? []);
}

function intersectPair(left: Type, right: Type, giveUp: GiveUp): Type {
  const constrained = isConstraint(right) ? left : isConstraint(left) ? right : undefined;
  const type = constrained ?? intersectOpened(open(left), open(right), giveUp);
  return withMarks(withMarks(type, ownMarks(left)), ownMarks(right));
}

/** True for a type that only adds constraints to the other part of an intersection. */
function isConstraint(type: Type): boolean {
  const inner = open(type);
  return inner.kind === "object" && inner.properties.size === 0 && !inner.index && constraintsOf(type).length > 0;
}

function intersectOpened(a: Type, b: Type, giveUp: GiveUp): Type {
  if (a.kind === "refused" || a.kind === "never") return a;
  if (b.kind === "refused" || b.kind === "never") return b;
  if (a.kind === "object" && b.kind === "object") return merge(a, b, giveUp);
  if (isScalar(a) && isScalar(b)) return intersectScalars(a, b);
  if (a.kind === "known" && b.kind === "known" && a.name === b.name) return a;
  if (isScalar(a) && b.kind === "object") return brandedScalar(a, giveUp);
  if (isScalar(b) && a.kind === "object") return brandedScalar(b, giveUp);
  throw giveUp();
}

/** Evaluates a branded primitive: `string & { __brand: "x" }` is a string. Null and undefined cannot be branded. */
function brandedScalar(scalar: Type, giveUp: GiveUp): Type {
  if (scalar.kind === "primitive" && ["null", "undefined", "void"].includes(scalar.name)) throw giveUp();
  return scalar;
}

function intersectScalars(a: Type, b: Type): Type {
  if (a.kind === "literal" && b.kind === "literal") return a.value === b.value ? a : neverType;
  if (a.kind === "primitive" && b.kind === "primitive") return a.name === b.name ? a : neverType;
  const [literal, primitive] = a.kind === "literal" ? [a, b] : [b, a];
  if (literal.kind !== "literal" || primitive.kind !== "primitive") return neverType;
  return typeof literal.value === primitive.name ? literal : neverType;
}

function merge(a: ObjectType, b: ObjectType, giveUp: GiveUp): Type {
  const properties = new Map(a.properties);
  for (const [name, property] of b.properties) {
    const other = properties.get(name);
    const both = other ? mergeProperty(other, property, giveUp) : property;
    if (both === undefined) return neverType;
    properties.set(name, both);
  }
  const index = a.index && b.index ? mergeIndex(a.index, b.index, giveUp) : (a.index ?? b.index);
  return { kind: "object", properties, ...(index && { index }) };
}

function mergeIndex(a: IndexSignature, b: IndexSignature, giveUp: GiveUp): IndexSignature {
  return { key: intersect([a.key, b.key], giveUp), value: intersect([a.value, b.value], giveUp) };
}

/** Merges two properties; undefined if no value can have both, as with variants of a discriminated union. */
function mergeProperty(a: Property, b: Property, giveUp: GiveUp): Property | undefined {
  const optional = a.optional && b.optional;
  if (!optional && areDifferentLiterals(a, b)) return undefined;
  return { name: a.name, optional, range: a.range, type: () => sharedType(a.type(), b.type(), giveUp) };
}

function areDifferentLiterals(a: Property, b: Property): boolean {
  const left = unitOf(a);
  const right = unitOf(b);
  return left !== undefined && right !== undefined && left !== right;
}

function unitOf(property: Property): string | undefined {
  const type = open(property.type());
  if (type.kind === "literal") return JSON.stringify(type.value);
  return type.kind === "primitive" && type.name === "null" ? "null" : undefined;
}

function sharedType(a: Type, b: Type, giveUp: GiveUp): Type {
  if (a === b || (a.kind === "named" && b.kind === "named" && a.id === b.id)) return a;
  return intersect([a, b], giveUp);
}
