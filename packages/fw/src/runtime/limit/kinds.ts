import type { KindDefinition } from "../../platform/contract.ts";

/** The uses that still count for each limit and key: `{ at: [<milliseconds since 1970>, …] }`. */
export const limitKind = "_fw_limits";

export const limitKinds: readonly KindDefinition[] = [
  { kind: limitKind, framework: true, properties: [], composites: [] },
];
