import { isToken } from "../../lib/http-token.ts";
import { bindingOf, type BindingSource } from "../../model/bindings.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { BoundField, Scalar } from "../../model/request-shape.ts";
import { limitsWith } from "../../model/constraints.ts";
import { constraintsOf, membersOf, open, unionOf, withoutUndefined, type Type } from "../schema/type.ts";

/** A field that its marker cannot bind, for example because of its type. */
export interface BindingFault {
  readonly kind:
    | "single-value"
    | "file-outside-form"
    | "list-of-others"
    | "several-bindings"
    | "unsupported"
    | "unknown-name"
    | "wrong-name"
    | "own-name"
    | "nested"
    | "constraint";
  readonly property: string;
  readonly source: BindingSource;
  readonly at: Span;
  /** The text to quote: the unsupported type in words, such as `a list of numbers`, or the wrong name. */
  readonly type: string;
}

export interface Marked {
  readonly source: BindingSource;
  /** Undefined if it is the field's name; null if it is not constant. */
  readonly wire: string | undefined | null;
  readonly base: Type;
  /** False if members of a union have different marks, or only some have one. */
  readonly whole: boolean;
}

/**
 * Returns the binding of a field's type; undefined for an unmarked field. In a union, each member may carry the mark.
 */
export function markOf(type: Type): Marked | undefined {
  const members = membersOf(type).map(open);
  const bound = members.filter((member) => member.kind === "bound");
  const [first] = bound;
  if (!first) return undefined;
  const same = bound.filter((member) => member.source === first.source && member.wire === first.wire);
  const base = unionOf(bound.map((member) => member.base));
  return { source: first.source, wire: first.wire, base, whole: same.length === members.length };
}

interface Named {
  readonly name: string;
  readonly optional: boolean;
  readonly at: Span;
}

/** Binds a field, or returns why it cannot be bound. */
export function boundField(field: Named, mark: Marked): BoundField | BindingFault {
  const { source } = mark;
  const { name: property, at } = field;
  const { type: base, removed } = withoutUndefined(mark.base);
  const read = readMarked(field, mark, base);
  if ("fault" in read) return { kind: read.fault, property, source, at, type: read.type };
  const { items, ...value } = read;
  const bound = { property, source, ...value, optional: field.optional || removed, at };
  return Object.keys(items).length === 0 ? bound : { ...bound, items };
}

/** The problem of a marked field, and the text to quote in the message. */
interface MarkedFault {
  readonly fault: BindingFault["kind"];
  readonly type: string;
}

type MarkedValue = Pick<BoundField, "wire" | "type" | "list"> & { readonly items: NonNullable<BoundField["items"]> };

function readMarked(field: Named, mark: Marked, base: Type): MarkedValue | MarkedFault {
  const { lists, files } = bindingOf(mark.source);
  const wire = wireName(field, mark);
  if (typeof wire !== "string") return wire;
  const inner = open(base);
  const list = inner.kind === "array";
  if (list && !lists) return { fault: "single-value", type: "a list" };
  const item = inner.kind === "array" ? inner.items : base;
  const scalar = scalarOf(item);
  if (!scalar) return { fault: list ? "list-of-others" : "unsupported", type: typeName(inner) };
  if (scalar.kind === "blob" && (!files || list)) return { fault: "file-outside-form", type: "Blob" };
  return withConstraints({ wire, type: scalar, list }, base, item);
}

function wireName(field: Named, { whole, wire = field.name, source }: Marked): string | MarkedFault {
  const { example, own } = bindingOf(source);
  if (!whole) return { fault: "several-bindings", type: "a union of marked and other types" };
  if (wire === null) return { fault: "unknown-name", type: "a name that is not a constant" };
  if (example !== undefined && !isToken(wire)) return { fault: "wrong-name", type: wire };
  if (own !== undefined && new RegExp(own, "i").test(wire)) return { fault: "own-name", type: wire };
  return wire;
}

function withConstraints(value: Omit<MarkedValue, "items">, base: Type, item: Type): MarkedValue | MarkedFault {
  const items = value.list ? limitsWith(constraintsOf(base), "list") : { limits: {} };
  const type = withLimits(value.type, item);
  if ("problem" in items) return { fault: "constraint", type: items.problem };
  if ("problem" in type) return { fault: "constraint", type: type.problem };
  return { ...value, type, items: items.limits };
}

/** Adds a type's constraints to a scalar as limits, or returns why the scalar cannot have them. */
function withLimits(scalar: Scalar, type: Type): Scalar | { readonly problem: string } {
  const constraints = constraintsOf(type);
  if (constraints.length === 0) return scalar;
  const isLiteral = "literals" in scalar && scalar.literals !== undefined;
  const on =
    scalar.kind === "string" ? "text" : scalar.kind === "int" || scalar.kind === "number" ? "number" : undefined;
  const found = limitsWith(constraints, isLiteral ? undefined : on);
  return "problem" in found ? found : ({ ...scalar, limits: found.limits } as Scalar);
}

function scalarOf(type: Type): Scalar | undefined {
  const inner = open(type);
  if (inner.kind === "primitive") return primitiveScalar(inner.name);
  if (inner.kind === "known") return knownScalar(inner.name);
  if (inner.kind === "pattern") return { kind: "string", pattern: inner.pattern };
  return literalScalar(membersOf(type).map(open));
}

function primitiveScalar(name: string): Scalar | undefined {
  return name === "string" || name === "boolean" || name === "number" ? { kind: name } : undefined;
}

function knownScalar(name: string): Scalar | undefined {
  if (name === "Int") return { kind: "int" };
  if (name === "Int64") return { kind: "int64" };
  return name === "Blob" ? { kind: "blob" } : undefined;
}

function literalScalar(members: readonly Type[]): Scalar | undefined {
  const values = members.map((member) => (member.kind === "literal" ? member.value : undefined));
  if (values.length === 0) return undefined;
  if (values.every((value) => typeof value === "string")) return { kind: "string", literals: values };
  return values.every((value) => typeof value === "number") ? { kind: "number", literals: values } : undefined;
}

function typeName(type: Type): string {
  switch (type.kind) {
    case "primitive":
    case "known":
    case "refused":
      return type.name;
    case "literal":
      return JSON.stringify(type.value);
    case "array":
      return `a list of ${typeName(open(type.items))}`;
    case "object":
      return "an object";
    case "union":
      return "a union of different types";
    default:
      return `a ${type.kind}`;
  }
}
