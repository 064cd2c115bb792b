import type { ESTree } from "rolldown/utils";
import { sourceOfMarker } from "../../model/bindings.ts";
import {
  constraintNamed,
  constraintOf,
  lostBackslash,
  type Constraint,
  type ConstraintName,
} from "../../model/constraints.ts";
import { refused, unsure } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { statusErrorType } from "./status-error.ts";
import { open, withMarks, type StorageMark, type Type } from "./type.ts";

/** A node that names a type and may carry type arguments. */
export interface Reference extends ESTree.Span {
  readonly typeArguments: ESTree.TSTypeParameterInstantiation | null;
}

/** A type that `fw` exports, by its names; the first may be `*`. */
export function frameworkType(names: readonly string[], node: Reference, scope: Scope): Type {
  const name = names.filter((each) => each !== "*").join(".");
  return marker(name, node, scope) ?? refusedOfFw(name, scope, node);
}

/** Types of what fw makes, none of which travels. */
const made: ReadonlySet<string> = new Set([
  "Context",
  "HTML",
  "Redirection",
  "EndpointDeclaration",
  "EntityDeclaration",
  "EntityQuery",
]);

function refusedOfFw(name: string, scope: Scope, node: Reference): Type {
  if (made.has(name)) return refused("global", name);
  throw unsure(scope, node);
}

/** What the markers of an entity's fields say. */
const storageMarks: Readonly<Partial<Record<string, ReadonlySet<StorageMark>>>> = {
  Index: new Set(["index"]),
  Unique: new Set(["index", "unique"]),
  Transient: new Set(["transient"]),
};

/** One of fw's own types. */
export function marker(name: string, node: Reference, scope: Scope): Type | undefined {
  if (name === "Int" || name === "Int64" || name === "Json" || name === "Blob") return { kind: "known", name };
  if (name === "ID") return withMarks({ kind: "primitive", name: "string" }, new Set<StorageMark>(["id"]));
  const marks = storageMarks[name];
  if (marks !== undefined) {
    const [kept] = node.typeArguments?.params ?? [];
    if (!kept) throw unsure(scope, node);
    return withMarks(scope.reading.evaluate(kept, scope), marks);
  }
  const constraint = constraintNamed(name);
  if (constraint !== undefined && name === constraint) return constraintType(constraint, node, scope);
  if (name === "Raw") return refused("raw", "Raw");
  if (name === "Body") return wholeBody(node, scope);
  if (name === "Reply") return replyOf(node, scope);
  if (name === "StatusError") return errorOf(node, scope);
  if (name === "Events") return eventsOf(node, scope);
  const source = sourceOfMarker(name);
  if (source === undefined) return undefined;
  const [of, wire] = node.typeArguments?.params ?? [];
  const base: Type = of ? scope.reading.evaluate(of, scope) : { kind: "primitive", name: "string" };
  return { kind: "bound", source, wire: wire && wireName(open(scope.reading.evaluate(wire, scope))), base };
}

/** What a constraint is to be met with. */
function constraintType(name: ConstraintName, node: Reference, scope: Scope): Type {
  const [argument] = node.typeArguments?.params ?? [];
  const lost = name === "Pattern" && argument ? escapeOf(argument) : undefined;
  if (lost !== undefined) return asConstraint(lostBackslash(lost));
  const value = argument && open(scope.reading.evaluate(argument, scope));
  return asConstraint(constraintOf(name, value?.kind === "literal" ? value.value : undefined));
}

/** An escape that means nothing in a text, or a backspace: a pattern's is meant. */
function escapeOf(node: ESTree.TSType): string | undefined {
  const raw = node.type === "TSLiteralType" && node.literal.type === "Literal" ? (node.literal.raw ?? "") : "";
  return /^(?:[^\\]|\\[\\nrtvf0xu'"])*?(\\[^\\nrtvf0xu'"])/su.exec(raw)?.[1];
}

/** A constraint by itself: an object without fields, which leaves what it is met with as it is. */
export function asConstraint(constraint: Constraint): Type {
  return { kind: "marked", marks: new Set([constraint]), base: { kind: "object", properties: new Map() } };
}

function wholeBody(node: Reference, scope: Scope): Type {
  const [kept] = node.typeArguments?.params ?? [];
  if (!kept) throw unsure(scope, node);
  return { kind: "refused", reason: "whole", name: "Body", whole: scope.reading.evaluate(kept, scope) };
}

/** What a handler returns in place of a body alone. */
function replyOf(node: Reference, scope: Scope): Type {
  const [body, status] = (node.typeArguments?.params ?? []).map((each) => scope.reading.evaluate(each, scope));
  const said = { body: body ?? refused("unknown", "unknown"), status: status ?? refused("unknown", "any status") };
  return { kind: "refused", reason: "reply", name: "Reply", reply: said };
}

/** An error that a handler returns; the defaults are those of its declaration. */
function errorOf(node: Reference, scope: Scope): Type {
  const [status, details] = (node.typeArguments?.params ?? []).map((each) => scope.reading.evaluate(each, scope));
  return statusErrorType(status ?? refused("unknown", "any status"), details ?? refused("unknown", "unknown"));
}

/** Server-sent events with typed data. */
function eventsOf(node: Reference, scope: Scope): Type {
  const [data] = node.typeArguments?.params ?? [];
  if (!data) throw unsure(scope, node);
  return { kind: "known", name: "Blob", events: scope.reading.evaluate(data, scope) };
}

/** A name is one text; null for any other type. An empty one stands for the property's. */
function wireName(type: Type): string | undefined | null {
  if (type.kind !== "literal" || typeof type.value !== "string") return null;
  return type.value === "" ? undefined : type.value;
}
