import type { Reader } from "./reader.ts";
import { readText } from "./source.ts";

/** Reads `Entity<T>(name)`, but for its type. */
export const readEntity: Reader = (source, call, declaration) => {
  return { kind: "entity", declaration, text: readText(source, call, 0) };
};
