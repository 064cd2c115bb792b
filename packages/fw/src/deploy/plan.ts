import { shortName } from "./api-path.ts";
import { stages, type DeployCloud } from "./driver.ts";
import { changesOf, isFields, listOf, topOf, type Change, type Fields, type Value } from "./fields.ts";
import { driverOf, keepsData, prunable, stageOf } from "./kinds/drivers.ts";
import { inTurns } from "./in-turns.ts";
import { exposuresOf, type Exposure } from "./exposures.ts";
import { isPlaceholder } from "./known.ts";
import { keyOf, type Kind, type Resource } from "./resource.ts";
import { readSecretValues } from "./secret-values.ts";

/** What is to be done about one resource. */
export type Step =
  | { readonly op: "noop"; readonly resource: Resource; readonly live: Fields }
  | { readonly op: "create"; readonly resource: Resource }
  | {
      readonly op: "update" | "replace";
      readonly resource: Resource;
      readonly live: Fields;
      readonly changes: readonly Change[];
    }
  | { readonly op: "blocked"; readonly resource: Resource; readonly why: string }
  /** It is no longer declared. What keeps data is left where its removal is not asked for. */
  | { readonly op: "prune" | "leave"; readonly resource: Named };

/** A resource that only its name is known of. */
export type Named = Pick<Resource, "kind" | "id">;

/** Everything that a deploy does, in the order of its stages. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Grants to everyone that other tools have made on the application's resources. A deploy leaves them. */
  readonly exposed: readonly Exposure[];
}

export interface PlanOptions {
  /** Takes over resources that are there already and say nothing of whose they are. */
  readonly adopt?: boolean;
  /** Takes away also what keeps data. */
  readonly pruneData?: boolean;
  /** The record of earlier deploys; without one, all kinds are listed that can say which application has them. */
  readonly before?: readonly Named[];
}

/** Compares what is declared with what is there. Reads, and writes nothing. */
export async function planOf(
  desired: readonly Resource[],
  cloud: DeployCloud,
  options: PlanOptions = {},
): Promise<Plan> {
  await readSecretValues(desired, cloud);
  const wanted = new Set(desired.map(keyOf));
  const there = new Map<Kind, readonly string[]>();
  const lives = new Map<string, Fields | undefined>();
  await Promise.all([
    inTurns(
      prunable.filter((kind) => mayHave(kind, desired, options)),
      async (kind) => void there.set(kind, await listed(kind, cloud, options)),
    ),
    inTurns(
      desired,
      async (resource) => void lives.set(keyOf(resource), await driverOf(resource.kind).read(resource, cloud)),
    ),
  ]);
  // Whose grants are the application's, its accounts of now and before say.
  for (const id of [...(there.get("service-account") ?? []), ...desired.filter(isAccount).map((account) => account.id)])
    cloud.addAccount(shortName(id));
  const steps = desired.map((resource) => stepOf(resource, lives.get(keyOf(resource)), cloud, options));
  const gone = [...there].flatMap(([kind, ids]) =>
    ids
      .filter((id) => !wanted.has(keyOf({ kind, id })))
      .map((id): Step => ({
        op: keepsData({ kind, id }) && options.pruneData !== true ? "leave" : "prune",
        resource: { kind, id },
      })),
  );
  const apart = gone.filter((step) => !gone.some((other) => isPartOf(step, other)));
  return {
    steps: [...followed(steps).toSorted(byStage), ...apart.toSorted((a, b) => byStage(b, a))],
    exposed: exposuresOf(desired, lives),
  };
}

/** True if the other step covers this resource: deleting or leaving a container includes its contents and policy. */
function isPartOf({ resource }: Step, { op, resource: whole }: Step): boolean {
  if (resource.kind === "grants")
    return op === "prune" && whole.kind !== "grants" && resource.id.endsWith(`/${whole.id}`);
  return driverOf(resource.kind).inside === whole.kind && resource.id.startsWith(`${whole.id}/`);
}

/**
 * Whether the application can have resources of a kind: it declares them or what contains them, or an earlier deploy
 * recorded them. Others are not listed, so that a deploy needs no rights for what its application does not use.
 */
function mayHave(kind: Kind, desired: readonly Named[], { before }: PlanOptions): boolean {
  const { inside } = driverOf(kind);
  if (before === undefined && inside === undefined) return true;
  return [...desired, ...(before ?? [])].some((resource) => resource.kind === kind || resource.kind === inside);
}

function isAccount({ kind }: Resource): boolean {
  return kind === "service-account";
}

async function listed(kind: Kind, cloud: DeployCloud, { before = [] }: PlanOptions): Promise<readonly string[]> {
  const driver = driverOf(kind);
  if (driver.list) return driver.list(cloud);
  const known = before.filter((resource) => resource.kind === kind);
  const lives = await inTurns(known, ({ id }) => driver.read({ id, spec: {} }, cloud));
  return known.filter((_, at) => lives[at] !== undefined).map(({ id }) => id);
}

/** What is to be done about a resource that is there so, or not at all. */
export function stepOf(resource: Resource, live: Fields | undefined, cloud: DeployCloud, { adopt }: PlanOptions): Step {
  const driver = driverOf(resource.kind);
  if (live === undefined && isNothing(resource)) return { op: "noop", resource, live: {} };
  if (live === undefined) return { op: "create", resource };
  if (adopt !== true && resource.owns === "all" && driver.isMarked?.(live, cloud.place, resource.spec) === false) {
    const why = `${resource.id} exists and is not managed by fw for this application and environment; --adopt takes it over`;
    return { op: "blocked", resource, why };
  }
  const normal = driver.normalize(live, resource, cloud);
  const changes = changesOf(resolved(resource.spec, cloud), normal);
  if (changes.length === 0) return { op: "noop", resource, live };
  const fixed = changes.find((change) => driver.fixed.includes(topOf([change])[0] ?? ""));
  const { listed } = driver;
  const told =
    listed === undefined
      ? changes.map((change) => veiled(change, resource.spec))
      : [{ path: listed, from: normal[listed] ?? [], to: resource.spec[listed] ?? [] }];
  if (fixed === undefined) return { op: "update", resource, live, changes: told };
  if (driver.replaces === "again") return { op: "replace", resource, live, changes: told };
  const why = `${fixed.path} of ${resource.id} is ${JSON.stringify(fixed.from)} and cannot be changed to ${JSON.stringify(fixed.to)}`;
  return { op: "blocked", resource, why };
}

/** True for a policy of a new resource that grants nothing: the cloud makes one like it by itself. */
function isNothing({ kind, spec }: Resource): boolean {
  return kind === "grants" && listOf(spec["bindings"]).length === 0;
}

/** Steps that others bring with them: what is as it should be now is not, once those have been carried out. */
function followed(steps: readonly Step[]): readonly Step[] {
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

/** What a spec has a placeholder for is not shown. */
function veiled(change: Change, spec: Value): Change {
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

/** A spec with what is known by now in the place of its placeholders. */
export function resolved<Part extends Value>(spec: Part, cloud: Pick<DeployCloud, "known">): Part {
  const walk = (value: Value): Value => {
    if (typeof value === "string") return cloud.known.get(value) ?? value;
    if (Array.isArray(value)) return (value as readonly Value[]).map(walk);
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
  };
  return walk(spec) as Part;
}

function byStage(one: Step, other: Step): number {
  const order = ({ resource }: Step): string => `${stages.indexOf(stageOf(resource))} ${keyOf(resource)}`;
  const [a, b] = [order(one), order(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
