import type { Reader } from "./reader.ts";
import { readText } from "./source.ts";

/** Reads `Job<T>(name)`, but for its type. */
export const readJob: Reader = (source, call, declaration) => {
  return { kind: "job", declaration, text: readText(source, call, 0) };
};
