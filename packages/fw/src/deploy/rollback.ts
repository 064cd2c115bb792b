import type { DeployCloud } from "./deploy-cloud.ts";
import { readInventory, writeInventory } from "./inventory.ts";
import { traffic, sendTo, serving } from "./kinds/traffic.ts";

/** A service whose requests go to another revision. */
export interface Switched {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The services whose traffic the last deploy has switched, and where it was before. */
export async function rollbackPlan(cloud: DeployCloud): Promise<readonly Switched[]> {
  const { content } = await readInventory(cloud);
  const before = Object.entries(content?.previous ?? {});
  const lives = await Promise.all(before.map(([id]) => traffic.read({ id, spec: {} }, cloud)));
  return before.flatMap(([id, to], at) => {
    const live = lives[at];
    const from = live ? serving(live) : to;
    return from === to ? [] : [{ id, from, to }];
  });
}

/** Sends requests to the revisions before; another rollback sends them back. */
export async function rollBack(switched: readonly Switched[], cloud: DeployCloud): Promise<void> {
  await Promise.all(switched.map(({ id, to }) => sendTo(id, cloud, to)));
  const file = await readInventory(cloud);
  if (!file.content) return;
  const { incomplete: _, ...content } = file.content;
  const previous = { ...content.previous, ...Object.fromEntries(switched.map(({ id, from }) => [id, from])) };
  await writeInventory({ ...content, previous }, file, cloud);
}
