import { channel } from "node:diagnostics_channel";

/** The stages from a saved file to an answer of the new code, in order; the last three run in the child process. */
export type DevStage = "watch" | "read" | "analyse" | "generate" | "send" | "receive" | "evaluate" | "swap";

const stages = channel("fw:dev-stage");

/** Publishes that a stage has ended, for `bench/dev-loop.mjs`; free of cost if nothing subscribes. */
export function endStage(stage: DevStage): void {
  if (stages.hasSubscribers) stages.publish(stage);
}
