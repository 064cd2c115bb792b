import { docBefore } from "../source/doc-comment.ts";
import type { Property } from "./type.ts";

/** The doc comment of a property, where the place that declares it is known. */
export function docOf({ name, place }: Property): string | undefined {
  if (place === undefined) return undefined;
  const { text } = place.module;
  const first = text.charAt(place.start);
  const quote = first === '"' || first === "'" ? 1 : 0;
  return text.startsWith(name, place.start + quote) ? docBefore(text, place.start) : undefined;
}
