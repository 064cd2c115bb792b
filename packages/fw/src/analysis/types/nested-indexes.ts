import { marksOf } from "../schema/marks.ts";
import type { SourceRange, Property, Type } from "../schema/type.ts";

/** An `Index` inside a document's field. */
export interface NestedIndex {
  /** The property names that lead to it, joined with dots. */
  readonly path: string;
  readonly place: SourceRange | undefined;
}

/**
 * Finds `Index` and `Search` marks inside a field's value. Skips embedded documents of other entities, recognized by
 * their `ID`: their marks apply where they are stored themselves.
 */
export function nestedIndexes(property: Property): NestedIndex[] {
  const found: NestedIndex[] = [];
  const seen = new Set<string>();
  const lookInList = (items: Type, path: string): void => {
    if (isIndexed(items)) found.push({ path: `${path}[]`, place: property.range });
    else look(items, path);
  };
  const look = (type: Type, path: string): void => {
    if (type.kind === "named") {
      if (seen.has(type.id)) return;
      seen.add(type.id);
      look(type.target(), path);
    } else if (type.kind === "marked") look(type.base, path);
    else if (type.kind === "array") lookInList(type.items, path);
    else if (type.kind === "tuple") for (const item of type.items) look(item.type, path);
    else if (type.kind === "union") for (const member of type.members) look(member, path);
    else if (type.kind === "object") {
      const inside = [...type.properties.values()].map((each) => ({ each, type: each.type() }));
      if (inside.some((part) => marksOf(part.type).has("id"))) return;
      for (const part of inside) {
        const name = `${path}.${part.each.name}`;
        if (isIndexed(part.type)) found.push({ path: name, place: part.each.range });
        else look(part.type, name);
      }
      if (type.index !== undefined) look(type.index.value, `${path}.*`);
    }
  };
  look(property.type(), property.name);
  return found;
}

function isIndexed(type: Type): boolean {
  const marks = marksOf(type);
  return marks.has("index") || marks.has("search");
}
