import { constraintNamed, constraintOf } from "../../model/constraints.ts";
import { assertNever } from "../../lib/assert-never.ts";
import { isBindingSource } from "../../model/bindings.ts";
import type { CheckedNode, CheckedProperty, CheckedType } from "../checker/checker.ts";
import { isClassOfFields } from "./class-of-fields.ts";
import { isStorageMark } from "./marks.ts";
import type { Reading } from "./reading.ts";
import { refusedGlobals } from "./refused-globals.ts";
import { statusErrorType } from "./status-error.ts";
import { patternOf } from "./template.ts";
import {
  isPrimitive,
  neverType,
  unionOf,
  withMarks,
  type KnownName,
  type Place,
  type Property,
  type RefusalReason,
  type Type,
} from "./type.ts";

/** What the checker answered, as a type. Objects get an id of their place, so that recursion meets itself. */
export function fromChecked(checked: CheckedType, place: Place, reading: Reading): Type {
  const read: Read = { checked, place, reading, made: new Map() };
  return typeAt(read, checked.root);
}

interface Read {
  readonly checked: CheckedType;
  readonly place: Place;
  readonly reading: Reading;
  readonly made: Map<number, Type>;
}

function typeAt(read: Read, index: number): Type {
  const known = read.made.get(index);
  if (known) return known;
  const node = read.checked.nodes[index];
  const type = node ? convert(read, node, index) : refused("unresolved", "a type");
  read.made.set(index, type);
  return type;
}

function convert(read: Read, node: CheckedNode, index: number): Type {
  switch (node.kind) {
    case "intrinsic":
      return intrinsic(node.name);
    case "literal":
      return typeof node.value === "bigint"
        ? refused("bigint", "a bigint literal")
        : { kind: "literal", value: node.value };
    case "union":
      return lazily(read, index, () => unionOf(node.members.map((member) => typeAt(read, member))));
    case "array":
      return lazily(read, index, () => ({ kind: "array", items: typeAt(read, node.items) }));
    case "tuple":
      return lazily(read, index, () => tuple(read, node.items));
    case "global":
      return global(node.name);
    case "marker":
      return marker(read, node);
    case "object":
      return lazily(read, index, () => object(read, node));
    case "template":
      return lazily(read, index, () =>
        patternOf(
          node.texts,
          node.holes.map((hole) => typeAt(read, hole)),
        ),
      );
    case "reply":
      return {
        kind: "refused",
        reason: "reply",
        name: "Reply",
        reply: { body: typeAt(read, node.body), status: typeAt(read, node.status) },
      };
    case "status-error":
      return statusErrorType(typeAt(read, node.status), typeAt(read, node.details));
    case "events":
      return { kind: "known", name: "Blob", events: typeAt(read, node.data) };
    case "function":
      return refused("function", "a function");
    case "class":
      return refused("class", node.name);
    case "mistake":
      return refused("mistake", "a type");
    case "other":
      return refused("unresolved", node.text);
    default:
      return assertNever(node);
  }
}

/** A name of its own for each part of an answer; only recursive ones end up in the table of types. */
function lazily(read: Read, index: number, make: () => Type): Type {
  const { module, start } = read.place;
  let made: Type | undefined;
  return {
    kind: "named",
    id: `${module.path}#${start}~${index}`,
    name: "",
    exported: true,
    place: read.place,
    target: () => (made ??= make()),
  };
}

function tuple(read: Read, items: (CheckedNode & { kind: "tuple" })["items"]): Type {
  return { kind: "tuple", items: items.map((item) => ({ ...item, type: typeAt(read, item.type) })) };
}

function object(read: Read, node: CheckedNode & { kind: "object" }): Type {
  const properties = node.properties.map((each): [string, Property] => {
    return [
      each.name,
      { name: each.name, optional: each.optional, place: read.place, type: () => property(read, each) },
    ];
  });
  if (node.class && !isClassOfFields(read.reading, node.class)) return refused("class", node.class.name);
  const className = node.class && { className: node.class.name };
  if (node.index === undefined) return { kind: "object", properties: new Map(properties), ...className };
  const index = { key: typeAt(read, node.index.key), value: typeAt(read, node.index.value) };
  if (!isPrimitive(index.key, "string")) return refused("unresolved", "an object whose keys are not plain text");
  return { kind: "object", properties: new Map(properties), index };
}

function property(read: Read, { type, method, ofUser }: CheckedProperty): Type {
  if (ofUser) return refused("user", "a User");
  return method ? refused("function", "a method") : typeAt(read, type);
}

function marker(read: Read, node: CheckedNode & { kind: "marker" }): Type {
  if (node.name === "int") return { kind: "known", name: "Int" };
  if (node.name === "int64") return { kind: "known", name: "Int64" };
  if (isStorageMark(node.name)) return withMarks(typeAt(read, node.base), new Set([node.name]));
  const constraint = constraintNamed(node.name);
  if (constraint !== undefined) {
    return withMarks(typeAt(read, node.base), new Set([constraintOf(constraint, node.argument)]));
  }
  if (node.name === "body") return { kind: "refused", reason: "whole", name: "Body", whole: typeAt(read, node.base) };
  if (!isBindingSource(node.name)) return refused("unresolved", node.name);
  return {
    kind: "bound",
    source: node.name,
    wire: typeof node.argument === "number" ? null : node.argument === "" ? undefined : node.argument,
    base: typeAt(read, node.base),
  };
}

const knownGlobals: Readonly<Record<string, KnownName>> = { Date: "Date", Blob: "Blob", File: "Blob", Json: "Json" };

function global(name: string): Type {
  if (name === "Raw") return refused("raw", name);
  const known = knownGlobals[name];
  return known ? { kind: "known", name: known } : refused(refusedGlobals[name] ?? "global", name);
}

function intrinsic(name: string): Type {
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
      return refused(name, name);
    default:
      return refused("unresolved", name);
  }
}

function refused(reason: RefusalReason, name: string): Type {
  return { kind: "refused", reason, name };
}
