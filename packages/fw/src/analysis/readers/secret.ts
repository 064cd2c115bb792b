import type { Reader } from "./reader.ts";
import { readText } from "./source.ts";

/** Reads `Secret(name)`. */
export const readSecret: Reader = (source, call, declaration) => {
  return { kind: "secret", declaration, text: readText(source, call, 0) };
};
