import { open, type Mark, type StorageMark, type Type } from "./type.ts";

export function isStorageMark(name: string): name is StorageMark {
  return name === "id" || name === "index" || name === "unique" || name === "transient";
}

/** The marks of a type, of what it names, and of the members of a union. */
export function marksOf(type: Type): ReadonlySet<Mark> {
  const found = new Set<Mark>(type.kind === "marked" ? type.marks : []);
  for (const inner of insideOf(type)) for (const mark of marksOf(inner)) found.add(mark);
  return found;
}

function insideOf(type: Type): readonly Type[] {
  if (type.kind === "marked") return [type.base];
  if (type.kind === "named") return [type.target()];
  return type.kind === "union" ? type.members : [];
}

/** True for a list, also where it may be absent or null. */
export function isList(type: Type): boolean {
  const opened = open(type);
  return opened.kind === "array" || (opened.kind === "union" && opened.members.some(isList));
}
