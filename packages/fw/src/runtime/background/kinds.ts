import type { KindDefinition } from "../../platform/contract.ts";

/** Which ticks of crons have run: `<cron>@<instant>`. */
export const tickKind = "_fw_ticks";

/** What the framework keeps where there are crons. */
export const cronKinds: readonly KindDefinition[] = [
  { kind: tickKind, framework: true, properties: [], composites: [] },
];
