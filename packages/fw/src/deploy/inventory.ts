import type { DeployCloud } from "./deploy-cloud.ts";
import { prunable } from "./kinds/drivers.ts";
import { LockedError } from "./lock.ts";
import type { Plan, ResourceName } from "./plan.ts";
import type { Resource } from "./resource.ts";
import { readState, writeState, type StateFile } from "./state-file.ts";

/**
 * A record of what deploys have created, as a hint for removals and rollbacks. The live project is the source of truth.
 */
export interface Inventory {
  readonly version: 1;
  /** Resources of kinds that are removed when no longer declared. */
  readonly resources: readonly ResourceName[];
  /** Resources with data that the version of the last deploy does not declare; absent if there are none. */
  readonly retained?: readonly ResourceName[];
  /** The revisions that served before the last deploy that switched traffic, by service id. */
  readonly previous: Readonly<Record<string, string>>;
  /**
   * True if the last deploy is in progress or was interrupted. The next one resumes an interrupted deploy and keeps the
   * revisions in `previous` for a rollback.
   */
  readonly incomplete?: true;
}

/** The file name in the folder of the application and environment. */
export const inventoryName = "inventory.json";

export async function readInventory(cloud: DeployCloud): Promise<StateFile<Inventory>> {
  const file = await readState<Inventory>(inventoryName, cloud);
  if (file.content && file.content.version !== 1)
    throw new Error("a newer version of fw has deployed to this project; deploy with that version or a later one");
  return file;
}

export async function writeInventory(
  next: Inventory,
  before: StateFile<Inventory>,
  cloud: DeployCloud,
): Promise<StateFile<Inventory>> {
  if (JSON.stringify(next) === JSON.stringify(before.content)) return before;
  const generation = await writeState(inventoryName, next, before.generation, cloud);
  if (generation === undefined)
    throw new LockedError("another deploy has run at the same time; run the same command again");
  return { content: next, generation };
}

/** Returns the inventory to write before a deploy: everything that may exist if the deploy is interrupted. */
export function inventoryBefore(plan: Plan, before: Inventory | undefined, desired: readonly Resource[]): Inventory {
  const resources = namesOf([...(before?.resources ?? []), ...desired]);
  const retained = before?.retained;
  return {
    version: 1,
    resources,
    ...(retained && { retained }),
    previous: previousOf(plan, before),
    incomplete: true,
  };
}

/**
 * Returns the revisions for a rollback of one deploy. A deploy that resumes an interrupted one counts as part of it. A
 * deploy that switches no traffic keeps the earlier revisions.
 */
function previousOf({ steps }: Plan, before: Inventory | undefined): Inventory["previous"] {
  const switches = steps.flatMap((step) => {
    const [change] = step.op === "update" && step.resource.kind === "traffic" ? step.changes : [];
    // If an operator has split the traffic, there is no single revision to restore.
    return typeof change?.from === "string" && /^[a-z0-9-]+$/.test(change.from)
      ? [[step.resource.id, change.from]]
      : [];
  });
  const own = Object.fromEntries(switches) as Record<string, string>;
  const earlier = before?.previous ?? {};
  if (before?.incomplete) return { ...own, ...earlier };
  return switches.length === 0 ? earlier : own;
}

export function inventoryAfter(plan: Plan, during: Inventory, desired: readonly Resource[]): Inventory {
  const retained = plan.steps.filter(({ op }) => op === "leave").map(({ resource }) => resource);
  const services = new Set(desired.filter(({ kind }) => kind === "service").map(({ id }) => id));
  const previous = Object.entries(during.previous).filter(([id]) => services.has(id));
  return {
    version: 1,
    resources: namesOf([...retained, ...desired]),
    ...(retained.length > 0 && { retained: namesOf(retained) }),
    previous: Object.fromEntries(previous.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function namesOf(all: readonly ResourceName[]): readonly ResourceName[] {
  const prunableNames = all
    .filter(({ kind }) => prunable.includes(kind))
    .map(({ kind, id }) => JSON.stringify({ kind, id }));
  return [...new Set(prunableNames)].toSorted().map((text) => JSON.parse(text) as ResourceName);
}
