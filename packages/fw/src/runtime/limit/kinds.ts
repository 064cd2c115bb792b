import type { KindDefinition } from "../../platform/contract.ts";

/** The uses of each limit and key that still count: `{ at: [<milliseconds since 1970>, …] }`. */
export const limitKind = "_fw_limits";

export const limitKinds: readonly KindDefinition[] = [
  { kind: limitKind, framework: true, properties: [], composites: [] },
];
