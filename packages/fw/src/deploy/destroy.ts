import { apply, type Outcome } from "./apply.ts";
import { stoppedBy, type Deployed, type Deploying } from "./deploy.ts";
import { takeLock } from "./lock.ts";
import { currentPlan } from "./current-plan.ts";
import { deleteState, writeState } from "./state-file.ts";

/** An application that is to go from its environment. */
export interface Destroying extends Pick<Deploying, "cloud" | "holder" | "clock" | "confirm" | "progress"> {
  /** Also what keeps data. */
  readonly data: boolean;
}

/** The steps of a destroy, and why it ended before all of them, where no step failed. */
export interface Destroyed extends Pick<Deployed, "stopped"> {
  readonly outcomes: readonly Outcome[];
}

/** Removes all that the application has; undefined if that was not confirmed. */
export async function destroy(destroying: Destroying): Promise<Destroyed | undefined> {
  const { cloud, data, holder, clock, confirm, progress } = destroying;
  const { plan, before } = await currentPlan([], cloud, { pruneData: data });
  if (!(await confirm(plan))) return undefined;
  if (before.content === undefined) return { outcomes: await apply(plan, { cloud, now: clock.now, ...progress }) };
  const lock = await takeLock(cloud, holder, clock);
  try {
    const outcomes = await apply(plan, { cloud, now: clock.now, signal: lock.lost, ...progress });
    if (outcomes.some(({ state }) => state !== "done")) return { outcomes, ...stoppedBy(lock.lost) };
    const left = plan.steps.filter(({ op }) => op === "leave").map(({ resource: { kind, id } }) => ({ kind, id }));
    if (left.length === 0) await deleteState("inventory.json", before.generation, cloud);
    else await writeState("inventory.json", { version: 1, resources: left, previous: {} }, before.generation, cloud);
    return { outcomes };
  } finally {
    await lock.release();
  }
}
