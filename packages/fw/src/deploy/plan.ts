import { shortName } from "./api-path.ts";
import { stages, type DeployCloud } from "./driver.ts";
import { changesOf, isFields, listOf, topOf, type Change, type Fields, type Value } from "./fields.ts";
import { driverOf, keepsData, prunable, stageOf } from "./kinds/drivers.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { exposuresOf, type Exposure } from "./exposures.ts";
import { isPlaceholder } from "./placeholders.ts";
import { keyOf, type Kind, type Resource } from "./resource.ts";
import { readSecretValues } from "./secret-values.ts";

export type PlanStep =
  | { readonly op: "noop"; readonly resource: Resource; readonly live: Fields }
  | { readonly op: "create"; readonly resource: Resource }
  | {
      readonly op: "update" | "replace";
      readonly resource: Resource;
      readonly live: Fields;
      readonly changes: readonly Change[];
    }
  | { readonly op: "blocked"; readonly resource: Resource; readonly why: string }
  /** The resource is no longer declared. `leave` keeps it because of its data; a later deploy may remove it. */
  | { readonly op: "prune" | "leave"; readonly resource: ResourceName; readonly why?: string };

/** A resource known only by its kind and id. */
export type ResourceName = Pick<Resource, "kind" | "id">;

/** The steps of a deploy in the order of their stages, followed by the removals in reverse order. */
export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Grants to all users on the application's resources, made with other tools. A deploy does not change them. */
  readonly exposed: readonly Exposure[];
}

export interface PlanOptions {
  /** Takes over existing resources without an owner's mark. */
  readonly adopt?: boolean;
  /** Also removes resources with data; with `retained`, only if the running version does not declare them either. */
  readonly pruneData?: boolean | "retained";
  /** The record of earlier deploys. Without one, the plan lists marked resources of all kinds. */
  readonly before?: readonly ResourceName[];
  /** Undeclared resources with data that an earlier deploy has left. */
  readonly retained?: readonly ResourceName[];
}

/** Compares the desired resources with the live project. Reads only. */
export async function planOf(
  desired: readonly Resource[],
  cloud: DeployCloud,
  options: PlanOptions = {},
): Promise<Plan> {
  await readSecretValues(desired, cloud);
  const desiredKeys = new Set(desired.map(keyOf));
  const listedIds = new Map<Kind, readonly string[]>();
  const lives = new Map<string, Fields | undefined>();
  await Promise.all([
    mapConcurrently(
      prunable.filter((kind) => mayHave(kind, desired, options)),
      async (kind) => void listedIds.set(kind, await listIds(kind, cloud, options)),
    ),
    mapConcurrently(
      desired,
      async (resource) => void lives.set(keyOf(resource), await driverOf(resource.kind).read(resource, cloud)),
    ),
  ]);
  // The application's current and former accounts determine which grants are its own.
  for (const id of [
    ...(listedIds.get("service-account") ?? []),
    ...desired.filter(({ kind }) => kind === "service-account").map((account) => account.id),
  ])
    cloud.addAccount(shortName(id));
  const steps = desired.map((resource) => stepOf(resource, lives.get(keyOf(resource)), cloud, options));
  const removals = [...listedIds].flatMap(([kind, ids]) =>
    ids.filter((id) => !desiredKeys.has(keyOf({ kind, id }))).map((id) => removalOf({ kind, id }, options)),
  );
  const independentRemovals = removals.filter((step) => !removals.some((other) => isPartOf(step, other)));
  return {
    steps: [...addTriggeredUpdates(steps).toSorted(byStage), ...independentRemovals.toSorted((a, b) => byStage(b, a))],
    exposed: exposuresOf(desired, lives),
  };
}

/**
 * Returns the step that removes an undeclared resource, or leaves it because of its data. If `pruneData` is
 * `"retained"`, removes only data that an earlier deploy has left: a rollback may need the rest.
 */
function removalOf(resource: ResourceName, { pruneData = false, retained = [] }: PlanOptions): PlanStep {
  if (!keepsData(resource) || pruneData === true) return { op: "prune", resource };
  if (pruneData === false) return { op: "leave", resource };
  if (retained.some((other) => keyOf(other) === keyOf(resource))) return { op: "prune", resource };
  const why = "kept because the running version uses it, also after a rollback: the next deploy can remove it";
  return { op: "leave", resource, why };
}

/** True if the other step covers this one: removing a container removes its contents and its policy. */
function isPartOf({ resource }: PlanStep, { op, resource: whole }: PlanStep): boolean {
  if (resource.kind === "grants") return op === "prune" && resource.id.endsWith(`/${whole.id}`);
  return driverOf(resource.kind).inside === whole.kind && resource.id.startsWith(`${whole.id}/`);
}

/**
 * True if the application can have resources of a kind, because it declares them or their container, or because an
 * earlier deploy recorded them. Other kinds are not listed, so a deploy needs no permissions for them.
 */
function mayHave(kind: Kind, desired: readonly ResourceName[], { before }: PlanOptions): boolean {
  const { inside } = driverOf(kind);
  if (before === undefined && inside === undefined) return true;
  return [...desired, ...(before ?? [])].some((resource) => resource.kind === kind || resource.kind === inside);
}

async function listIds(kind: Kind, cloud: DeployCloud, { before = [] }: PlanOptions): Promise<readonly string[]> {
  const driver = driverOf(kind);
  if (driver.list) return driver.list(cloud);
  const recorded = before.filter((resource) => resource.kind === kind);
  const lives = await mapConcurrently(recorded, ({ id }) => driver.read({ id, spec: {} }, cloud));
  return recorded.filter((_, at) => lives[at] !== undefined).map(({ id }) => id);
}

export function stepOf(
  resource: Resource,
  live: Fields | undefined,
  cloud: DeployCloud,
  { adopt }: PlanOptions,
): PlanStep {
  const driver = driverOf(resource.kind);
  if (live === undefined && isNothing(resource)) return { op: "noop", resource, live: {} };
  if (live === undefined) return { op: "create", resource };
  if (adopt !== true && resource.owns === "all" && driver.isMarked?.(live, cloud.place, resource.spec) === false) {
    const why = `${resource.id} exists and is not managed by fw for this application and environment; --adopt takes it over`;
    return { op: "blocked", resource, why };
  }
  const normal = driver.normalize(live, resource, cloud);
  const changes = changesOf(fillPlaceholders(resource.spec, cloud), normal);
  if (changes.length === 0) return { op: "noop", resource, live };
  const fixed = changes.find((change) => driver.fixed.includes(topOf([change])[0] ?? ""));
  const shownChanges = changesToShow(resource, changes, normal);
  if (fixed === undefined) return { op: "update", resource, live, changes: shownChanges };
  if (driver.replaces === "again") return { op: "replace", resource, live, changes: shownChanges };
  const why = `${fixed.path} of ${resource.id} is ${JSON.stringify(fixed.from)} and cannot be changed to ${JSON.stringify(fixed.to)}`;
  return { op: "blocked", resource, why };
}

/** Returns the changes to show, without secrets. For a kind with a `listed` field, shows the whole list. */
function changesToShow({ kind, spec }: Resource, changes: readonly Change[], live: Fields): readonly Change[] {
  const { listed: field } = driverOf(kind);
  if (field === undefined) return changes.map((change) => hideSecrets(change, spec));
  return [{ path: field, from: live[field] ?? [], to: spec[field] ?? [] }];
}

/** True for a policy without grants, which need not be created: a new resource already has one. */
function isNothing({ kind, spec }: Resource): boolean {
  return kind === "grants" && listOf(spec["bindings"]).length === 0;
}

/** Adds updates of resources that are up to date now, but become stale when a dependency changes. */
function addTriggeredUpdates(steps: readonly PlanStep[]): readonly PlanStep[] {
  const byKey = new Map(steps.map((step) => [keyOf(step.resource), step]));
  return steps.map((step) => {
    if (step.op !== "noop") return step;
    const driver = driverOf(step.resource.kind);
    const changes = step.resource.deps.flatMap((key) => {
      const dep = byKey.get(key);
      return dep?.op === "update" ? (driver.follows?.(step.live, dep) ?? []) : [];
    });
    return changes.length === 0 ? step : { op: "update", resource: step.resource, live: step.live, changes };
  });
}

/** Hides the live value of a field whose spec contains a placeholder. */
function hideSecrets(change: Change, spec: Value): Change {
  const names = change.path.split(/[.[\]]+/).filter(Boolean);
  const declared = names.reduce<Value | undefined>((value, name) => partOf(value, name), spec);
  const hides = (value: Value | undefined): boolean =>
    isPlaceholder(value) || (typeof value === "object" && value !== null && Object.values(value).some(hides));
  if (declared === undefined || !hides(declared)) return change;
  return { path: change.path, ...(change.from !== undefined && { from: "<another>" }), to: declared };
}

function partOf(value: Value | undefined, name: string): Value | undefined {
  if (Array.isArray(value)) return (value as readonly Value[])[Number(name)];
  return isFields(value) ? value[name] : undefined;
}

/** Replaces the placeholders in a spec with the values known so far. */
export function fillPlaceholders<Part extends Value>(spec: Part, cloud: Pick<DeployCloud, "values">): Part {
  const walk = (value: Value): Value => {
    if (typeof value === "string") return cloud.values.get(value) ?? value;
    if (Array.isArray(value)) return (value as readonly Value[]).map(walk);
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
  };
  return walk(spec) as Part;
}

function byStage(one: PlanStep, other: PlanStep): number {
  const order = ({ resource }: PlanStep): string => `${stages.indexOf(stageOf(resource))} ${keyOf(resource)}`;
  const [a, b] = [order(one), order(other)];
  return a < b ? -1 : 1;
}
