import type { Value } from "../fields.ts";
import { isFields } from "../fields.ts";
import { driverOf, prunable } from "../kinds/drivers.ts";
import type { Resource } from "../resource.ts";
import type { TestProject } from "./project.ts";

/** Fields that the cloud sets itself, with a different value each time. */
const own = new Set(
  "createTime creationTimestamp creator lastAttemptTime status deleteTime etag expireTime executionCount generation id lastModifier latestCreatedRevision latestReadyRevision metageneration observedGeneration selfLink timeCreated uid uniqueId updateTime updated userUpdateTime scheduleTime terminalCondition conditions trafficStatuses traffic".split(
    " ",
  ),
);

/** The kinds whose names the cloud assigns. */
const namedByCloud: ReadonlySet<Resource["kind"]> = new Set(["index", "alert", "channel", "dashboard"]);

/**
 * Formats everything that an application has in a project as a string: declared resources in full, the names of all
 * others, and every policy.
 */
export async function stateOf(project: TestProject, desired: readonly Resource[]): Promise<string> {
  const cloud = project.open();
  const lives: Record<string, Value> = {};
  for (const resource of desired) {
    const { kind, id } = resource;
    if (kind === "image" || kind === "grants") continue;
    const driver = driverOf(kind);
    const live = (await driver.read(resource, cloud)) ?? {};
    const serving = kind === "traffic" ? driver.normalize(live, resource, cloud) : {};
    lives[`${kind} ${id}`] = plain({
      ...live,
      ...(namedByCloud.has(kind) ? { name: "" } : {}),
      ...serving,
    });
  }
  const names: Record<string, readonly string[]> = {};
  for (const kind of prunable) names[kind] = ((await driverOf(kind).list?.(cloud)) ?? []).toSorted();
  const queues = [...project.fake.apis.tasks.queues.keys()].toSorted();
  const indexes = [...project.fake.apis.firestore.indexes.values()]
    .map(({ name, fields }) => `${name.split("/indexes/")[0]} ${JSON.stringify(fields)}`)
    .toSorted();
  const policies = await policiesOf(project, desired);
  return JSON.stringify({ lives, names, queues, indexes, policies }, undefined, 1);
}

async function policiesOf(project: TestProject, desired: readonly Resource[]): Promise<Record<string, Value>> {
  const cloud = project.open();
  const all: Record<string, Value> = {};
  for (const resource of desired.filter(({ kind }) => kind === "grants")) {
    const { bindings = [] } = (await driverOf("grants").read(resource, cloud)) ?? {};
    all[resource.id] = (Array.isArray(bindings) ? (bindings as readonly Value[]) : [])
      .map((each) => JSON.stringify(each))
      .toSorted();
  }
  return all;
}

function plain(value: Value): Value {
  if (Array.isArray(value)) return (value as readonly Value[]).map(plain);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !own.has(name));
  const shown = kept.map(([name, part]): [string, Value] => [name, shownOf(name, part)]);
  return Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Simplifies a part of the state. Only counts channels, because the cloud chooses their names. */
function shownOf(name: string, part: Value): Value {
  if (name === "notificationChannels" && Array.isArray(part)) return part.length;
  return plain(part);
}
