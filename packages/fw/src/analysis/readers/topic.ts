import type { Reader } from "./reader.ts";
import { readText } from "./source.ts";

/** Reads `Topic<T>(name)`, but for its type. */
export const readTopic: Reader = (source, call, declaration) => {
  return { kind: "topic", declaration, text: readText(source, call, 0) };
};
