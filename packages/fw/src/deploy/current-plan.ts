import type { DeployCloud } from "./deploy-cloud.ts";
import { readInventory, type Inventory } from "./inventory.ts";
import { planOf, type Plan, type PlanOptions } from "./plan.ts";
import type { Resource } from "./resource.ts";
import type { StateFile } from "./state-file.ts";

/**
 * The plan against the live project for `fw deploy`, `fw status` or `fw destroy`, and the inventory that it is based
 * on.
 */
export interface CurrentPlan {
  readonly plan: Plan;
  readonly before: StateFile<Inventory>;
}

export async function currentPlan(
  desired: readonly Resource[],
  cloud: DeployCloud,
  options: Omit<PlanOptions, "before" | "retained"> = {},
): Promise<CurrentPlan> {
  const before = await readInventory(cloud);
  // Without a record, a first deploy has nothing to remove, whereas a destroy must list everything.
  const record = before.content?.resources ?? (desired.length > 0 ? [] : undefined);
  const retained = before.content?.retained ?? [];
  const plan = await planOf(desired, cloud, { ...options, retained, ...(record && { before: record }) });
  return { plan, before };
}
