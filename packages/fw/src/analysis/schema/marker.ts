import type { ESTree } from "rolldown/utils";
import { sourceOfMarker } from "../../model/bindings.ts";
import {
  constraintNamed,
  constraintOf,
  lostBackslash,
  type Constraint,
  type ConstraintName,
} from "../../model/constraints.ts";
import { refusedType, askChecker, type NeedsChecker } from "./type-reading.ts";
import type { TypeScope } from "./type-scope.ts";
import { statusErrorType } from "./status-error.ts";
import { first } from "./utilities.ts";
import { open, withMarks, type StorageMark, type Type } from "./type.ts";

export interface TypeReference extends ESTree.Span {
  readonly typeArguments: ESTree.TSTypeParameterInstantiation | null;
}

/** Evaluates a type that `fw` exports, by its qualified name; the first part may be `*`. */
export function frameworkType(names: readonly string[], node: TypeReference, scope: TypeScope): Type {
  const name = names.filter((each) => each !== "*").join(".");
  return markerType(name, node, scope) ?? refusedFrameworkType(name, scope, node);
}

/** Types of values that fw creates and that cannot be sent. */
const unsendableTypes: ReadonlySet<string> = new Set([
  "Context",
  "HTML",
  "Redirection",
  "EndpointDeclaration",
  "EntityDeclaration",
  "EntityQuery",
]);

function refusedFrameworkType(name: string, scope: TypeScope, node: TypeReference): Type {
  if (unsendableTypes.has(name)) return refusedType("global", name);
  throw askChecker(scope, node);
}

const genericTypes: Readonly<Record<string, (given: readonly Type[], giveUp: () => NeedsChecker) => Type>> = {
  Index: (given, giveUp) => withStorageMarks(first(given, giveUp), "index"),
  Unique: (given, giveUp) => withStorageMarks(first(given, giveUp), "index", "unique"),
  Search: (given, giveUp) => withStorageMarks(first(given, giveUp), "search"),
  Ref: (given, giveUp) =>
    withStorageMarks({ kind: "primitive", name: "string" }, `ref ${typeId(first(given, giveUp))}`),
  Transient: (given, giveUp) => withStorageMarks(first(given, giveUp), "transient"),
  Body: (given, giveUp) => ({ kind: "refused", reason: "whole", name: "Body", whole: first(given, giveUp) }),
  // A returned reply with a body, a status and headers.
  Reply: ([body = refusedType("unknown", "unknown"), status = refusedType("unknown", "any status")]) => {
    return { kind: "refused", reason: "reply", name: "Reply", reply: { body, status } };
  },
  // A returned error; the defaults match its declaration.
  StatusError: ([status = refusedType("unknown", "any status"), details = refusedType("unknown", "unknown")]) =>
    statusErrorType(status, details),
  // Server-sent events with typed data.
  Events: (given, giveUp) => ({ kind: "known", name: "Blob", events: first(given, giveUp) }),
};

/** Returns the id of a named type, or "" for other types. No entity has the id "". */
function typeId(type: Type): string {
  return type.kind === "named" ? type.id : "";
}

function withStorageMarks(type: Type, ...marks: readonly StorageMark[]): Type {
  return withMarks(type, new Set(marks));
}

export function markerType(name: string, node: TypeReference, scope: TypeScope): Type | undefined {
  if (name === "Int" || name === "Int64" || name === "Json" || name === "Blob") return { kind: "known", name };
  if (name === "ID") return withStorageMarks({ kind: "primitive", name: "string" }, "id");
  const make = Object.hasOwn(genericTypes, name) ? genericTypes[name] : undefined;
  if (make) {
    const typeArguments = (node.typeArguments?.params ?? []).map((each) => scope.reading.evaluate(each, scope));
    return make(typeArguments, () => askChecker(scope, node));
  }
  const constraint = constraintNamed(name);
  if (constraint !== undefined && name === constraint) return constraintType(constraint, node, scope);
  if (name === "Raw") return refusedType("raw", "Raw");
  const source = sourceOfMarker(name);
  if (source === undefined) return undefined;
  const [of, wire] = node.typeArguments?.params ?? [];
  const base: Type = of ? scope.reading.evaluate(of, scope) : { kind: "primitive", name: "string" };
  return { kind: "bound", source, wire: wire && wireName(open(scope.reading.evaluate(wire, scope))), base };
}

function constraintType(name: ConstraintName, node: TypeReference, scope: TypeScope): Type {
  const [argument] = node.typeArguments?.params ?? [];
  const lostEscape = name === "Pattern" && argument ? escapeOf(argument) : undefined;
  if (lostEscape !== undefined) return asConstraint(lostBackslash(lostEscape));
  const value = argument && open(scope.reading.evaluate(argument, scope));
  return asConstraint(constraintOf(name, value?.kind === "literal" ? value.value : undefined));
}

/**
 * Finds a string escape, such as `\d` or `\b`, that keeps its backslash out of the pattern; undefined if there is none.
 */
function escapeOf(node: ESTree.TSType): string | undefined {
  const raw = node.type === "TSLiteralType" && node.literal.type === "Literal" ? (node.literal.raw ?? "") : "";
  return /^(?:[^\\]|\\[\\nrtvf0xu'"])*?(\\[^\\nrtvf0xu'"])/su.exec(raw)?.[1];
}

/** Converts a constraint to a type: an object without fields, which does not change the type it intersects. */
export function asConstraint(constraint: Constraint): Type {
  return { kind: "marked", marks: new Set([constraint]), base: { kind: "object", properties: new Map() } };
}

/**
 * Reads a wire name, which must be one string literal; null for any other type. An empty name means the property's
 * name.
 */
function wireName(type: Type): string | undefined | null {
  if (type.kind !== "literal" || typeof type.value !== "string") return null;
  return type.value === "" ? undefined : type.value;
}
