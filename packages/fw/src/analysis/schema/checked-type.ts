import { constraintNamed, constraintOf } from "../../model/constraints.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { isBindingSource } from "../../model/bindings.ts";
import type { CheckedNode, CheckedProperty, CheckedType } from "../checker/checker.ts";
import { isClassOfFields } from "./class-of-fields.ts";
import { isStorageMark } from "./marks.ts";
import type { TypeReading } from "./type-reading.ts";
import { refusedGlobals } from "./refused-globals.ts";
import { statusErrorType } from "./status-error.ts";
import { patternOf } from "./template.ts";
import {
  isPrimitive,
  neverType,
  unionOf,
  withMarks,
  type BuiltinName,
  type SourceRange,
  type Property,
  type RefusalReason,
  type Type,
} from "./type.ts";

/**
 * Converts the checker's answer to a type. Objects are identified by the place of the question and their index in the
 * answer, so that recursive types terminate.
 */
export function fromChecked(checked: CheckedType, place: SourceRange, typeReading: TypeReading): Type {
  return typeAt({ checked, place, typeReading, types: new Map() }, checked.root);
}

interface CheckedReading {
  readonly checked: CheckedType;
  readonly place: SourceRange;
  readonly typeReading: TypeReading;
  readonly types: Map<number, Type>;
}

function typeAt(reading: CheckedReading, index: number): Type {
  const cached = reading.types.get(index);
  if (cached) return cached;
  const node = reading.checked.nodes[index];
  const type = node ? convertNode(reading, node, index) : refusedType("unresolved", "a type");
  reading.types.set(index, type);
  return type;
}

function convertNode(reading: CheckedReading, node: CheckedNode, index: number): Type {
  switch (node.kind) {
    case "intrinsic":
      return intrinsicType(node.name);
    case "literal":
      return typeof node.value === "bigint"
        ? refusedType("bigint", "a bigint literal")
        : { kind: "literal", value: node.value };
    case "union":
      return lazyType(reading, index, () => unionOf(node.members.map((member) => typeAt(reading, member))));
    case "array":
      return lazyType(reading, index, () => ({ kind: "array", items: typeAt(reading, node.items) }));
    case "tuple":
      return lazyType(reading, index, () => tupleType(reading, node.items));
    case "global":
      return globalType(node.name);
    case "marker":
      return markerType(reading, node);
    case "object":
      return lazyType(reading, index, () => objectType(reading, node));
    case "template":
      return lazyType(reading, index, () =>
        patternOf(
          node.texts,
          node.holes.map((hole) => typeAt(reading, hole)),
        ),
      );
    case "reply":
      return {
        kind: "refused",
        reason: "reply",
        name: "Reply",
        reply: { body: typeAt(reading, node.body), status: typeAt(reading, node.status) },
      };
    case "status-error":
      return statusErrorType(typeAt(reading, node.status), typeAt(reading, node.details));
    case "events":
      return { kind: "known", name: "Blob", events: typeAt(reading, node.data) };
    case "function":
      return refusedType("function", "a function");
    case "class":
      return refusedType("class", node.name);
    case "symbol-keys":
      return refusedType("symbol-keys", "an object with symbol keys");
    case "mistake":
      return refusedType("mistake", "a type");
    case "other":
      return refusedType("unresolved", node.text);
    default:
      return assertNever(node);
  }
}

/** Wraps one part of an answer in a NamedType without a name. Only recursive parts end up in the type table. */
function lazyType(reading: CheckedReading, index: number, make: () => Type): Type {
  const { module, start } = reading.place;
  let type: Type | undefined;
  return {
    kind: "named",
    id: `${module.path}#${start}~${index}`,
    name: "",
    exported: true,
    range: reading.place,
    target: () => (type ??= make()),
  };
}

function tupleType(reading: CheckedReading, items: (CheckedNode & { kind: "tuple" })["items"]): Type {
  return { kind: "tuple", items: items.map((item) => ({ ...item, type: typeAt(reading, item.type) })) };
}

function objectType(reading: CheckedReading, node: CheckedNode & { kind: "object" }): Type {
  const properties = node.properties.map((each): [string, Property] => {
    return [
      each.name,
      { name: each.name, optional: each.optional, range: reading.place, type: () => propertyType(reading, each) },
    ];
  });
  if (node.class && !isClassOfFields(reading.typeReading, node.class)) return refusedType("class", node.class.name);
  const className = node.class && { className: node.class.name };
  if (node.index === undefined) return { kind: "object", properties: new Map(properties), ...className };
  const index = { key: typeAt(reading, node.index.key), value: typeAt(reading, node.index.value) };
  if (!isPrimitive(index.key, "string")) return refusedType("unresolved", "an object whose keys are not plain strings");
  return { kind: "object", properties: new Map(properties), index };
}

function propertyType(reading: CheckedReading, { type, method, ofUser }: CheckedProperty): Type {
  if (ofUser) return refusedType("user", "a User");
  return method ? refusedType("function", "a method") : typeAt(reading, type);
}

function markerType(reading: CheckedReading, node: CheckedNode & { kind: "marker" }): Type {
  if (node.name === "int") return { kind: "known", name: "Int" };
  if (node.name === "int64") return { kind: "known", name: "Int64" };
  if (isStorageMark(node.name)) return withMarks(typeAt(reading, node.base), new Set([node.name]));
  // The checker returns only the name of the type.
  if (node.name === "ref")
    return withMarks(typeAt(reading, node.base), new Set([`ref #${node.argument ?? ""}`] as const));
  const constraint = constraintNamed(node.name);
  if (constraint !== undefined) {
    return withMarks(typeAt(reading, node.base), new Set([constraintOf(constraint, node.argument)]));
  }
  if (node.name === "body")
    return { kind: "refused", reason: "whole", name: "Body", whole: typeAt(reading, node.base) };
  if (!isBindingSource(node.name)) return refusedType("unresolved", node.name);
  return {
    kind: "bound",
    source: node.name,
    wire: typeof node.argument === "number" ? null : node.argument === "" ? undefined : node.argument,
    base: typeAt(reading, node.base),
  };
}

const builtinGlobals: Readonly<Record<string, BuiltinName>> = {
  Date: "Date",
  Blob: "Blob",
  File: "Blob",
  Json: "Json",
};

function globalType(name: string): Type {
  if (name === "Raw") return refusedType("raw", name);
  const builtin = builtinGlobals[name];
  return builtin ? { kind: "known", name: builtin } : refusedType(refusedGlobals[name] ?? "global", name);
}

function intrinsicType(name: string): Type {
  switch (name) {
    case "string":
    case "number":
    case "boolean":
    case "bigint":
    case "null":
    case "undefined":
    case "void":
      return { kind: "primitive", name };
    case "never":
      return neverType;
    case "any":
    case "unknown":
    case "object":
    case "symbol":
      return refusedType(name, name);
    default:
      return refusedType("unresolved", name);
  }
}

function refusedType(reason: RefusalReason, name: string): Type {
  return { kind: "refused", reason, name };
}
