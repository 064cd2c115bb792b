import { isSameList } from "../lib/same-items.ts";
import { reachable, type Schema, type TypeTable } from "../model/schema.ts";

interface CachedText<Part> {
  readonly parts: readonly Part[];
  readonly types: ReadonlyMap<string, Schema | undefined>;
  readonly text: string;
}

/** Caches the texts of modules. Generates a text again only if a part, or a type it uses, is a different object. */
export function cacheTexts<Part extends object>(
  schemasOf: (part: Part) => readonly Schema[],
  make: (parts: readonly Part[], types: TypeTable) => string,
): (parts: readonly Part[], types: TypeTable) => string {
  const cache = new WeakMap<Part, CachedText<Part>>();
  return (parts, types) => {
    const [first] = parts;
    if (first === undefined) return "";
    const cached = cache.get(first);
    if (cached !== undefined && isSameList(cached.parts, parts) && sameTypes(cached.types, types)) return cached.text;
    const text = make(parts, types);
    cache.set(first, { parts, types: reachableTypes(parts.flatMap(schemasOf), types), text });
    return text;
  };
}

function reachableTypes(schemas: readonly Schema[], types: TypeTable): ReadonlyMap<string, Schema | undefined> {
  const ids = reachable({ kind: "union", variants: schemas }, types);
  return new Map([...ids].map((id) => [id, types[id]]));
}

function sameTypes(previous: ReadonlyMap<string, Schema | undefined>, types: TypeTable): boolean {
  for (const [id, schema] of previous) if (types[id] !== schema) return false;
  return true;
}
