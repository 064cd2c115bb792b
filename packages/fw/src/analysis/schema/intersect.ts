import type { NeedsChecker } from "./reading.ts";
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

/** More combinations of union members than are worked out. */
const mostCombinations = 400;

/** `A & B`: unions distribute, objects merge, a primitive met with objects is that primitive under a private mark. */
export function intersect(parts: readonly Type[], giveUp: GiveUp): Type {
  let combined: readonly Type[] | undefined;
  for (const part of parts) {
    // `"a" | string` is `string`, also under a constraint.
    const members = membersOf(unionOf([part]));
    if (!combined) combined = members;
    else if (combined.length * members.length > mostCombinations) throw giveUp();
    else combined = combined.flatMap((left) => members.map((right) => intersectPair(left, right, giveUp)));
  }
  return unionOf(combined ?? []);
}

function intersectPair(left: Type, right: Type, giveUp: GiveUp): Type {
  const constrained = isConstraint(right) ? left : isConstraint(left) ? right : undefined;
  const met = constrained ?? intersectOpened(open(left), open(right), giveUp);
  return withMarks(withMarks(met, ownMarks(left)), ownMarks(right));
}

/** A constraint by itself: what it is met with says what it is. */
function isConstraint(type: Type): boolean {
  const opened = open(type);
  return opened.kind === "object" && opened.properties.size === 0 && !opened.index && constraintsOf(type).length > 0;
}

function intersectOpened(a: Type, b: Type, giveUp: GiveUp): Type {
  if (a.kind === "refused" || a.kind === "never") return a;
  if (b.kind === "refused" || b.kind === "never") return b;
  if (a.kind === "object" && b.kind === "object") return merge(a, b, giveUp);
  if (isScalar(a) && isScalar(b)) return scalars(a, b);
  if (a.kind === "known" && b.kind === "known" && a.name === b.name) return a;
  if (isScalar(a) && b.kind === "object") return marked(a, giveUp);
  if (isScalar(b) && a.kind === "object") return marked(b, giveUp);
  throw giveUp();
}

/** `string & { __brand: "x" }` is text on the wire; null and undefined have no such mark. */
function marked(scalar: Type, giveUp: GiveUp): Type {
  if (scalar.kind === "primitive" && ["null", "undefined", "void"].includes(scalar.name)) throw giveUp();
  return scalar;
}

function scalars(a: Type, b: Type): Type {
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

/** Undefined when no value has both: variants told apart by a literal do not mix. */
function mergeProperty(a: Property, b: Property, giveUp: GiveUp): Property | undefined {
  const optional = a.optional && b.optional;
  if (!optional && areDifferentLiterals(a, b)) return undefined;
  return { name: a.name, optional, place: a.place, type: () => sharedType(a.type(), b.type(), giveUp) };
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
