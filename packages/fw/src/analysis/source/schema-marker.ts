import type { ESTree } from "rolldown/utils";
import { refused, unsure, type Reading } from "./schema-reading.ts";
import type { Scope } from "./schema-scope.ts";
import { open, type Type } from "./schema-type.ts";

/** A node that names a type and may carry type arguments. */
export interface Reference extends ESTree.Span {
  readonly typeArguments: ESTree.TSTypeParameterInstantiation | null;
}

/** A type that a package exports; only those of `fw` are known without asking. */
export function outside(
  reading: Reading,
  specifier: string,
  names: readonly string[],
  node: Reference,
  scope: Scope,
): Type {
  const name = names.filter((each) => each !== "*").join(".");
  if (specifier !== "fw") throw unsure(scope, node);
  return marker(reading, name, node, scope) ?? refusedOfFw(name, scope, node);
}

function refusedOfFw(name: string, scope: Scope, node: Reference): Type {
  const isMade = name === "Context" || name === "HTML" || name === "Redirection" || name === "EndpointDeclaration";
  if (isMade) return refused("global", name);
  throw unsure(scope, node);
}

/** One of fw's own types. */
export function marker(reading: Reading, name: string, node: Reference, scope: Scope): Type | undefined {
  if (name === "Int" || name === "Int64" || name === "Json" || name === "Blob") return { kind: "known", name };
  if (name !== "Path" && name !== "Query" && name !== "Form") return undefined;
  const [of, wire] = node.typeArguments?.params ?? [];
  const base: Type = of ? reading.evaluate(of, scope) : { kind: "primitive", name: "string" };
  const named = wire ? open(reading.evaluate(wire, scope)) : undefined;
  if (named && (named.kind !== "literal" || typeof named.value !== "string")) throw unsure(scope, node);
  const text = named?.kind === "literal" ? String(named.value) : "";
  const source = name === "Path" ? "path" : name === "Query" ? "query" : "form";
  return { kind: "bound", source, wire: text === "" ? undefined : text, base };
}
