import type { ESTree } from "rolldown/utils";
import { sourceOfMarker } from "../../model/bindings.ts";
import { refused, unsure, type Reading } from "./reading.ts";
import type { Scope } from "./scope.ts";
import { open, withMarks, type Type } from "./type.ts";

/** A node that names a type and may carry type arguments. */
export interface Reference extends ESTree.Span {
  readonly typeArguments: ESTree.TSTypeParameterInstantiation | null;
}

/** A type that `fw` exports, by its names; the first may be `*`. */
export function frameworkType(reading: Reading, names: readonly string[], node: Reference, scope: Scope): Type {
  const name = names.filter((each) => each !== "*").join(".");
  return marker(reading, name, node, scope) ?? refusedOfFw(name, scope, node);
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

/** One of fw's own types. */
export function marker(reading: Reading, name: string, node: Reference, scope: Scope): Type | undefined {
  if (name === "Int" || name === "Int64" || name === "Json" || name === "Blob") return { kind: "known", name };
  if (name === "ID") return withMarks({ kind: "primitive", name: "string" }, ["id"]);
  if (name === "Index" || name === "Transient") {
    const [kept] = node.typeArguments?.params ?? [];
    if (!kept) throw unsure(scope, node);
    return withMarks(reading.evaluate(kept, scope), [name === "Index" ? "index" : "transient"]);
  }
  const source = sourceOfMarker(name);
  if (source === undefined) return undefined;
  const [of, wire] = node.typeArguments?.params ?? [];
  const base: Type = of ? reading.evaluate(of, scope) : { kind: "primitive", name: "string" };
  return { kind: "bound", source, wire: wire && wireName(open(reading.evaluate(wire, scope))), base };
}

/** A name is one text; null for any other type. An empty one stands for the property's. */
function wireName(type: Type): string | undefined | null {
  if (type.kind !== "literal" || typeof type.value !== "string") return null;
  return type.value === "" ? undefined : type.value;
}
