import type { Kind } from "../../definitions.ts";

/** A kind as far as a client knows it: what is indexed is checked where it is kept. */
export function unindexed(kind: string): Kind {
  return { kind, properties: [], composites: [], indexed: new Map() };
}
