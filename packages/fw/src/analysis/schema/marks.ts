import { open, type Type } from "./type.ts";

/** What an entity's type says of a field. On the wire it means nothing. */
export type StorageMark = "id" | "index" | "transient";

const marks = new WeakMap<Type, ReadonlySet<StorageMark>>();

export function isStorageMark(name: string): name is StorageMark {
  return name === "id" || name === "index" || name === "transient";
}

/** The same type, marked. */
export function withMark(type: Type, mark: StorageMark): Type {
  const marked = { ...type };
  marks.set(marked, new Set([...(marks.get(type) ?? []), mark]));
  return marked;
}

/** The marks of a type, of what it names, and of the members of a union. */
export function marksOf(type: Type): ReadonlySet<StorageMark> {
  const found = new Set(marks.get(type));
  const behind = type.kind === "named" ? [type.target()] : type.kind === "union" ? type.members : [];
  for (const each of behind) for (const mark of marksOf(each)) found.add(mark);
  return found;
}

/** True for a list, also where it may be absent or null. */
export function isList(type: Type): boolean {
  const opened = open(type);
  return opened.kind === "array" || (opened.kind === "union" && opened.members.some(isList));
}
