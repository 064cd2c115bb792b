import type { SourceRange, Property, Type } from "../schema/type.ts";

/** Finds lists directly inside lists in a field's value, each location once. An object in between makes them valid. */
export function nestedLists(property: Property, at: SourceRange): readonly SourceRange[] {
  const found = new Map<string, SourceRange>();
  const seen = new Set<string>();
  const look = (type: Type, place: SourceRange, isItem: boolean): void => {
    if (type.kind === "named") {
      const key = `${isItem} ${type.id}`;
      if (seen.has(key)) return;
      seen.add(key);
      look(type.target(), place, isItem);
    } else if (type.kind === "marked") look(type.base, place, isItem);
    else if (type.kind === "union") for (const member of type.members) look(member, place, isItem);
    else if (type.kind === "array" || type.kind === "tuple") {
      if (isItem) found.set(`${place.module.path}:${place.start}`, place);
      for (const item of itemsOf(type)) look(item, place, true);
    } else if (type.kind === "object") {
      for (const each of type.properties.values()) look(each.type(), each.range ?? place, false);
      if (type.index !== undefined) look(type.index.value, place, false);
    }
  };
  look(property.type(), at, false);
  return [...found.values()];
}

function itemsOf(list: Extract<Type, { kind: "array" | "tuple" }>): readonly Type[] {
  return list.kind === "array" ? [list.items] : list.items.map(({ type }) => type);
}
