import type { DeployCloud } from "./deploy-cloud.ts";
import { prunable } from "./kinds/drivers.ts";
import { LockedError } from "./lock.ts";
import type { Plan, Named } from "./plan.ts";
import type { Resource } from "./resource.ts";
import { readState, writeState, type StateFile } from "./state-file.ts";

/** What deploys have made: a hint for what can go, and where traffic was before. The live project is the truth. */
export interface Inventory {
  readonly version: 1;
  /** Of kinds that are taken away when they are no longer declared. */
  readonly resources: readonly Named[];
  /** The revision that had the traffic of a service before the last switch, by the service's id. */
  readonly previous: Readonly<Record<string, string>>;
}

/** Of the file in the folder of the application and environment. */
export const inventoryName = "inventory.json";

export async function readInventory(cloud: DeployCloud): Promise<StateFile<Inventory>> {
  const file = await readState<Inventory>(inventoryName, cloud);
  if (file.content && file.content.version !== 1)
    throw new Error("this project was deployed to by a newer version of fw, whose records this one does not read");
  return file;
}

/** Writes it where it says something new. */
export async function writeInventory(
  next: Inventory,
  before: StateFile<Inventory>,
  cloud: DeployCloud,
): Promise<StateFile<Inventory>> {
  if (JSON.stringify(next) === JSON.stringify(before.content)) return before;
  const generation = await writeState(inventoryName, next, before.generation, cloud);
  if (generation === undefined) throw new LockedError("somebody else has deployed meanwhile; deploy again");
  return { content: next, generation };
}

/** Before a deploy: all that may be there if it is killed. */
export function begun(plan: Plan, before: Inventory | undefined, desired: readonly Resource[]): Inventory {
  const previous = { ...before?.previous };
  for (const step of plan.steps) {
    const [change] = step.op === "update" && step.resource.kind === "traffic" ? step.changes : [];
    if (typeof change?.from === "string") previous[step.resource.id] = change.from;
  }
  return { version: 1, resources: namesOf([...(before?.resources ?? []), ...desired]), previous };
}

/** After it: what is declared, and what was left. */
export function ended(plan: Plan, during: Inventory, desired: readonly Resource[]): Inventory {
  const left = plan.steps.filter(({ op }) => op === "leave").map(({ resource }) => resource);
  const there = new Set(desired.filter(({ kind }) => kind === "service").map(({ id }) => id));
  const previous = Object.entries(during.previous).filter(([id]) => there.has(id));
  return {
    version: 1,
    resources: namesOf([...left, ...desired]),
    previous: Object.fromEntries(previous.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function namesOf(all: readonly Named[]): readonly Named[] {
  const kept = all.filter(({ kind }) => prunable.includes(kind)).map(({ kind, id }) => JSON.stringify({ kind, id }));
  return [...new Set(kept)].toSorted().map((text) => JSON.parse(text) as Named);
}
