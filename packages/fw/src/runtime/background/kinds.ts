import type { KindDefinition } from "../../platform/contract.ts";

/** Ticks of crons that have run: `<cron>@<instant>`. */
export const tickKind = "_fw_ticks";

/** Kinds that the framework stores for crons. */
export const cronKinds: readonly KindDefinition[] = [
  { kind: tickKind, framework: true, properties: [], composites: [] },
];
