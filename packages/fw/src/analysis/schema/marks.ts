import { open, type Mark, type StorageMark, type Type } from "./type.ts";

export function isStorageMark(name: string): name is StorageMark {
  return name === "id" || name === "index" || name === "unique" || name === "transient";
}

/** Collects the marks of a type, of the type it names, and of the members of a union. */
export function marksOf(type: Type): ReadonlySet<Mark> {
  const marks = new Set<Mark>(type.kind === "marked" ? type.marks : []);
  for (const inner of innerTypes(type)) for (const mark of marksOf(inner)) marks.add(mark);
  return marks;
}

function innerTypes(type: Type): readonly Type[] {
  if (type.kind === "marked") return [type.base];
  if (type.kind === "named") return [type.target()];
  return type.kind === "union" ? type.members : [];
}

/** True for a list, even if it is optional or nullable. */
export function isList(type: Type): boolean {
  const unwrapped = open(type);
  return unwrapped.kind === "array" || (unwrapped.kind === "union" && unwrapped.members.some(isList));
}
