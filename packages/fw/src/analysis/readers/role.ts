import type { Reader } from "./reader.ts";
import { readText } from "./source.ts";

/** Reads `Role(name)`. */
export const readRole: Reader = (source, call, declaration) => {
  return { kind: "role", declaration, text: readText(source, call, 0) };
};
