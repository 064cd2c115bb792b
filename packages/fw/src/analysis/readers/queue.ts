import type { Reader } from "./reader.ts";
import { readText } from "./source.ts";

/** Reads `Queue<T>(name)`, but for its type. */
export const readQueue: Reader = (source, call, declaration) => {
  return { kind: "queue", declaration, text: readText(source, call, 0) };
};
