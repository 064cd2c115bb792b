import type { KindDefinition } from "../../platform/contract.ts";
import { tickKind } from "../../platform/tick-kind.ts";

export const cronKinds: readonly KindDefinition[] = [
  { kind: tickKind, framework: true, properties: [], composites: [] },
];

/**
 * The recorded runs of jobs, with the state of each task. `order` sorts the runs of a job by time, and `settled` sorts
 * the runs that no message can change anymore. `inJob` sorts the runs of a job across all tenants by time.
 */
export const runKind = "_fw_job_runs";

/** The kinds that the framework stores for jobs with a history. */
export const runKinds: readonly KindDefinition[] = [
  {
    kind: runKind,
    framework: true,
    notifies: true,
    properties: [{ name: "order" }, { name: "settled" }, { name: "inJob" }],
    composites: [],
  },
];

/** The latest message for each key of a queue, and the state of each message with a key. */
export const messageKeyKind = "_fw_message_keys";

export const messageKeyKinds: readonly KindDefinition[] = [
  { kind: messageKeyKind, framework: true, properties: [], composites: [] },
];
