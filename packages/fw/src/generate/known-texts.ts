import { isSameList } from "../lib/same-items.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import { reachable } from "./reach.ts";

interface KnownText<Part> {
  readonly parts: readonly Part[];
  readonly types: ReadonlyMap<string, Schema | undefined>;
  readonly text: string;
}

/** Texts of modules, made anew only where a part or a type that it reaches is another object than before. */
export function knownTexts<Part extends object>(
  schemasOf: (part: Part) => readonly Schema[],
  make: (parts: readonly Part[], types: TypeTable) => string,
): (parts: readonly Part[], types: TypeTable) => string {
  const known = new WeakMap<Part, KnownText<Part>>();
  return (parts, types) => {
    const [first] = parts;
    if (first === undefined) return "";
    const last = known.get(first);
    if (last !== undefined && isSameList(last.parts, parts) && sameTypes(last.types, types)) return last.text;
    const text = make(parts, types);
    known.set(first, { parts, types: reachedTypes(parts.flatMap(schemasOf), types), text });
    return text;
  };
}

function reachedTypes(schemas: readonly Schema[], types: TypeTable): ReadonlyMap<string, Schema | undefined> {
  const ids = reachable({ kind: "union", variants: schemas }, types);
  return new Map([...ids].map((id) => [id, types[id]]));
}

function sameTypes(known: ReadonlyMap<string, Schema | undefined>, types: TypeTable): boolean {
  for (const [id, schema] of known) if (types[id] !== schema) return false;
  return true;
}
