import { apply, type Outcome } from "./apply.ts";
import { stoppedBy, type DeployResult, type DeployOptions } from "./deploy.ts";
import { takeLock } from "./lock.ts";
import { forgetVersions } from "./live-versions.ts";
import { currentPlan } from "./current-plan.ts";
import { inventoryName } from "./inventory.ts";
import { deleteState, writeState } from "./state-file.ts";

/** Options for removing an application from its environment. */
export interface DestroyOptions extends Pick<DeployOptions, "cloud" | "holder" | "clock" | "confirm" | "progress"> {
  /** Whether to delete resources with data as well. */
  readonly data: boolean;
}

export interface DestroyResult extends Pick<DeployResult, "interruption"> {
  readonly outcomes: readonly Outcome[];
}

/**
 * Removes the application's resources. Resources with data stay unless `data` is true. Returns undefined if the user
 * did not confirm.
 */
export async function destroy(destroying: DestroyOptions): Promise<DestroyResult | undefined> {
  const { cloud, data, holder, clock, confirm, progress } = destroying;
  const { plan, before } = await currentPlan([], cloud, { pruneData: data });
  if (!(await confirm(plan))) return undefined;
  if (before.content === undefined) return { outcomes: await apply(plan, { cloud, now: clock.now, ...progress }) };
  const lock = await takeLock(cloud, holder, clock);
  try {
    const outcomes = await apply(plan, { cloud, now: clock.now, signal: lock.lost, ...progress });
    if (outcomes.some(({ state }) => state !== "done")) return { outcomes, ...stoppedBy(lock.lost) };
    const retained = plan.steps.filter(({ op }) => op === "leave").map(({ resource: { kind, id } }) => ({ kind, id }));
    if (retained.length === 0) {
      await deleteState(inventoryName, before.generation, cloud);
      await forgetVersions(cloud);
    } else await writeState(inventoryName, { version: 1, resources: retained, previous: {} }, before.generation, cloud);
    return { outcomes };
  } finally {
    await lock.release();
  }
}
