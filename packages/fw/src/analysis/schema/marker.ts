import type { ESTree } from "rolldown/utils";
import { sourceOfMarker } from "../../model/bindings.ts";
import {
  constraintNamed,
  constraintOf,
  lostBackslash,
  type Constraint,
  type ConstraintName,
} from "../../model/constraints.ts";
import { refused, unsure, type NeedsChecker } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { statusErrorType } from "./status-error.ts";
import { first } from "./utilities.ts";
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

/** What fw's own types are made of, by their arguments. */
const generic: Readonly<Record<string, (given: readonly Type[], giveUp: () => NeedsChecker) => Type>> = {
  Index: (given, giveUp) => stored(first(given, giveUp), "index"),
  Unique: (given, giveUp) => stored(first(given, giveUp), "index", "unique"),
  Transient: (given, giveUp) => stored(first(given, giveUp), "transient"),
  Body: (given, giveUp) => ({ kind: "refused", reason: "whole", name: "Body", whole: first(given, giveUp) }),
  // What a handler returns in place of a body alone.
  Reply: ([body = refused("unknown", "unknown"), status = refused("unknown", "any status")]) => {
    return { kind: "refused", reason: "reply", name: "Reply", reply: { body, status } };
  },
  // An error that a handler returns; the defaults are those of its declaration.
  StatusError: ([status = refused("unknown", "any status"), details = refused("unknown", "unknown")]) =>
    statusErrorType(status, details),
  // Server-sent events with typed data.
  Events: (given, giveUp) => ({ kind: "known", name: "Blob", events: first(given, giveUp) }),
};

function stored(type: Type, ...marks: readonly StorageMark[]): Type {
  return withMarks(type, new Set(marks));
}

/** One of fw's own types. */
export function marker(name: string, node: Reference, scope: Scope): Type | undefined {
  if (name === "Int" || name === "Int64" || name === "Json" || name === "Blob") return { kind: "known", name };
  if (name === "ID") return stored({ kind: "primitive", name: "string" }, "id");
  const make = Object.hasOwn(generic, name) ? generic[name] : undefined;
  if (make) {
    const given = (node.typeArguments?.params ?? []).map((each) => scope.reading.evaluate(each, scope));
    return make(given, () => unsure(scope, node));
  }
  const constraint = constraintNamed(name);
  if (constraint !== undefined && name === constraint) return constraintType(constraint, node, scope);
  if (name === "Raw") return refused("raw", "Raw");
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

/** A name is one text; null for any other type. An empty one stands for the property's. */
function wireName(type: Type): string | undefined | null {
  if (type.kind !== "literal" || typeof type.value !== "string") return null;
  return type.value === "" ? undefined : type.value;
}
