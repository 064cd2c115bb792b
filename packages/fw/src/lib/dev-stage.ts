import { channel } from "node:diagnostics_channel";

/** The stages from saving a file to a response from the new code, in order. The last three run in the child process. */
export type DevStage = "watch" | "read" | "analyse" | "generate" | "send" | "receive" | "evaluate" | "swap";

const stages = channel("fw:dev-stage");

/** Reports the end of a stage to `bench/dev-loop.mjs`. Costs nothing without a subscriber. */
export function endStage(stage: DevStage): void {
  if (stages.hasSubscribers) stages.publish(stage);
}
