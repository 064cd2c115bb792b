import { distinct } from "../../lib/grouped.ts";
import { open, type Mark, type RefMark, type StorageMark, type Type } from "./type.ts";

/** True for the name of a storage mark without an argument. */
export function isStorageMark(name: string): name is Exclude<StorageMark, RefMark> {
  return name === "id" || name === "index" || name === "unique" || name === "transient" || name === "search";
}

/** Collects the marks of a type, of the type it names, and of union members. */
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

/** Returns the ids of the document types that a field refers to, through its value or its list elements. */
export function referredTypes(type: Type): readonly string[] {
  const whole = open(type);
  const lists = whole.kind === "union" ? whole.members.map(open) : [whole];
  const elements = lists.flatMap((list) => (list.kind === "array" ? list.items : []));
  const marks = [type, ...elements].flatMap((each) => [...marksOf(each)]);
  const ids = marks.flatMap((mark) =>
    typeof mark === "string" && mark.startsWith(refPrefix) ? mark.slice(refPrefix.length) : [],
  );
  return distinct(ids, (id) => id);
}

const refPrefix = "ref ";

/** True for a list or a tuple, or a union that contains one. */
export function isList(type: Type): boolean {
  const unwrapped = open(type);
  if (unwrapped.kind === "union") return unwrapped.members.some(isList);
  return unwrapped.kind === "array" || unwrapped.kind === "tuple";
}
