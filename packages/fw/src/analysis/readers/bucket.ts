import type { Reader } from "./reader.ts";
import { readText } from "./source.ts";

/** Reads `Bucket(name)`. */
export const readBucket: Reader = (source, call, declaration) => {
  return { kind: "bucket", declaration, text: readText(source, call, 0) };
};
