import type { DeployCloud } from "./deploy-cloud.ts";
import { readInventory, writeInventory } from "./inventory.ts";
import { recordRollback } from "./live-versions.ts";
import { traffic, sendTo, serving } from "./kinds/traffic.ts";

/** A service whose traffic moves to another revision. */
export interface TrafficSwitch {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the services whose traffic the last deploy switched, with their previous revisions. */
export async function rollbackPlan(cloud: DeployCloud): Promise<readonly TrafficSwitch[]> {
  const { content } = await readInventory(cloud);
  const before = Object.entries(content?.previous ?? {});
  const lives = await Promise.all(before.map(([id]) => traffic.read({ id, spec: {} }, cloud)));
  return before.flatMap(([id, to], at) => {
    const live = lives[at];
    const from = live ? serving(live) : to;
    return from === to ? [] : [{ id, from, to }];
  });
}

/** Moves traffic to the previous revisions; another rollback moves it back. */
export async function rollBack(switched: readonly TrafficSwitch[], cloud: DeployCloud): Promise<void> {
  await Promise.all(switched.map(({ id, to }) => sendTo(id, cloud, to)));
  const file = await readInventory(cloud);
  if (!file.content) return;
  const { incomplete: _, ...content } = file.content;
  const previous = { ...content.previous, ...Object.fromEntries(switched.map(({ id, from }) => [id, from])) };
  await writeInventory({ ...content, previous }, file, cloud);
  await recordRollback(cloud);
}
