import type { Reader } from "./reader.ts";

/** Reads `StatusPage(handler)`, of which only the place matters. */
export const readStatus: Reader = (_source, _call, declaration) => ({ kind: "status", declaration });
