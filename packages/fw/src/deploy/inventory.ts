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
  /** The revisions that served together before the last deploy that switched traffic, by the ids of their services. */
  readonly previous: Readonly<Record<string, string>>;
  /** The last deploy has not ended: the next one resumes it, and has the same revisions to go back to. */
  readonly incomplete?: true;
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

/** The inventory to write first: everything that may exist if the deploy is interrupted. */
export function begun(plan: Plan, before: Inventory | undefined, desired: readonly Resource[]): Inventory {
  const resources = namesOf([...(before?.resources ?? []), ...desired]);
  return { version: 1, resources, previous: previousOf(plan, before), incomplete: true };
}

/** The revisions that a rollback of this deploy goes to: those of one deploy, never of several. */
function previousOf({ steps }: Plan, before: Inventory | undefined): Inventory["previous"] {
  const switches = steps.flatMap((step) => {
    const [change] = step.op === "update" && step.resource.kind === "traffic" ? step.changes : [];
    // Traffic that an operator has split has no single revision to go back to.
    return typeof change?.from === "string" && /^[a-z0-9-]+$/.test(change.from)
      ? [[step.resource.id, change.from]]
      : [];
  });
  const own = Object.fromEntries(switches) as Record<string, string>;
  const earlier = before?.previous ?? {};
  if (before?.incomplete) return { ...own, ...earlier };
  return switches.length === 0 ? earlier : own;
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
