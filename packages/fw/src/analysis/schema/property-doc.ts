import { docBefore } from "../source/doc-comment.ts";
import type { Property } from "./type.ts";

/** Returns the doc comment of a property; undefined if it has none or its declaration is unknown. */
export function docOf({ name, range }: Property): string | undefined {
  if (range === undefined) return undefined;
  const { text } = range.module;
  const first = text.charAt(range.start);
  const quote = first === '"' || first === "'" ? 1 : 0;
  return text.startsWith(name, range.start + quote) ? docBefore(text, range.start) : undefined;
}
