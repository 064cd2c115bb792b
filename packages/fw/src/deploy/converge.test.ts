import { expect, test } from "vitest";
import { hasChanges } from "./deploy.ts";
import { destroy } from "./destroy.ts";
import { changesOf, isFields, topOf, type Fields, type Value } from "./fields.ts";
import { driverOf } from "./kinds/drivers.ts";
import { serving, traffic } from "./kinds/traffic.ts";
import { planOf, fillPlaceholders, type Plan, type PlanStep } from "./plan.ts";
import type { Resource } from "./resource.ts";
import { rollBack, rollbackPlan } from "./rollback.ts";
import { addFaults, deployOnce, imagesIn, randomResources } from "./testing/deploys.ts";
import { testProject, type TestProject } from "./testing/project.ts";
import { Seeded } from "./testing/random.ts";
import { Killed, recorded } from "./testing/recorded.ts";
import { stateOf } from "./testing/state.ts";

/** The number of seeds to test with. */
const tries = Number(process.env["FW_TRIES"] ?? 1);
const firstSeed = Number(process.env["FW_SEED"] ?? 1);
const seeds = Array.from({ length: tries }, (_, at) => firstSeed + at);

/** The number of consecutive versions of an application to deploy. */
const versions = tries > 1 ? 3 : 2;

/** The share of all possible declarations that the application contains. */
const size = tries > 1 ? 0.5 : 0.12;

/** The share of resources with a field changed by hand. */
const changed = tries > 1 ? 0.1 : 0.04;

/** The range of the random number of calls after which a process is killed. */
const killed = tries > 1 ? 400 : 700;

const days = 86_400_000;

test.each(seeds)(
  "a deploy does what its plan says, a second one nothing, and faults and kills change nothing of where it ends (seed %i)",
  async (seed) => {
    const [clean, faulty] = [await testProject(seed), await testProject(seed)];
    const declaredVersions = versionsOf(seed, clean);
    versionsOf(seed, faulty);
    for (const resources of declaredVersions) {
      const summary = await deployed(clean, resources);
      expect(summary, `seed ${seed}`).toMatchObject({ result: "done", unplanned: [], unwritten: [] });
      expect(await deployed(clean, resources), `seed ${seed}`).toMatchObject({ result: "unchanged", writes: 0 });
    }
    const chance = new Seeded(seed + 1_000_000);
    for (const resources of declaredVersions) {
      await interrupted(faulty, resources, chance);
      // Waits until the name of a removed queue is available again.
      await faulty.fake.clock.advance(4 * days);
      const again = await planOf(resources, faulty.open(undefined, imagesIn(resources)));
      expect(worked(again), `seed ${seed}`).toEqual([]);
    }
    const last = declaredVersions.at(-1) ?? [];
    expect(await stateOf(faulty, last), `seed ${seed}`).toBe(await stateOf(clean, last));
    await rollBackAndForth(faulty, chance);
    await destroyAll(faulty, chance);
    for (const resource of chance.some(last, changed)) {
      const path = await changeOne(resource, last, clean, chance);
      if (path === undefined) continue;
      const plan = await planOf(last, clean.open(undefined, imagesIn(last)));
      const steps = plan.steps.filter(({ op }) => op !== "noop");
      expect(steps, `seed ${seed}: ${path} of ${resource.kind} ${resource.id}`).toMatchObject([
        { op: "update", resource: { kind: resource.kind, id: resource.id }, changes: [{ path }] },
      ]);
      expect((await deployed(clean, last)).result).toBe("done");
    }
  },
  300_000,
);

interface Summary {
  readonly result: string;
  readonly writes: number;
  /** Writes outside the steps of the plan. */
  readonly unplanned: readonly string[];
  /** Steps without a write. */
  readonly unwritten: readonly string[];
}

/** Deploys without faults, and compares the writes with the plan. */
async function deployed(project: TestProject, resources: readonly Resource[]): Promise<Summary> {
  const client = recorded(project.client);
  await project.fake.clock.advance(4 * days);
  const { result, plan, outcomes } = await deployOnce(project, resources, { client, options: { pruneData: true } });
  for (const { error } of outcomes) if (error) throw error;
  const steps = plan.steps.filter(({ op }) => op !== "noop" && op !== "leave");
  const texts = client.writes.map(({ method, path, query, body }) => JSON.stringify([method, path, query, body]));
  return {
    result,
    writes: texts.length,
    unplanned: texts.filter((text) => !steps.some((step) => isAbout(text, step))),
    unwritten: steps
      .filter((step) => step.resource.kind !== "image" && !texts.some((text) => isAbout(text, step)))
      .map((step) => `${step.op} ${step.resource.kind} ${step.resource.id}`),
  };
}

/** The collections whose resources Cloud Monitoring names. */
const assignedCollections: Partial<Record<PlanStep["resource"]["kind"], string>> = {
  alert: "alertPolicies",
  channel: "notificationChannels",
  dashboard: "dashboards",
};

/**
 * True if a request names the resource of a step. Cloud Monitoring changes and deletes resources under names that it
 * has assigned.
 */
function isAbout(text: string, { resource, op }: PlanStep): boolean {
  const { kind, id } = resource;
  const collection = op === "create" ? undefined : assignedCollections[kind];
  if (collection !== undefined) return text.includes(collection);
  if (kind === "notification") return text.includes(`/b/${id.split(" ")[0]}/notificationConfigs`);
  if (kind === "index") return text.includes("/indexes");
  if (kind === "field-indexes") return text.includes(":commit");
  return text.includes(id.split("/").at(-1) ?? "");
}

/** Deploys repeatedly, while calls fail and the process is killed, until nothing is left to do. */
function interrupted(project: TestProject, resources: readonly Resource[], chance: Seeded): Promise<void> {
  return repeated(project, chance, async (client) => {
    const { result, outcomes } = await deployOnce(project, resources, { client, options: { pruneData: true } });
    if (result === "unchanged" || result === "done") return true;
    throw outcomes.find(({ error }) => error)?.error ?? new Error(result);
  });
}

/** Tries repeatedly, while calls fail and the process is killed, until an attempt returns true. */
async function repeated(
  project: TestProject,
  chance: Seeded,
  attempt: (client: ReturnType<typeof recorded>) => Promise<boolean>,
): Promise<void> {
  for (let run = 1; run <= 40; run++) {
    project.fake.faults.clear();
    // The last runs have no faults, because the test checks the final state.
    if (run < 30) addFaults(project);
    const client = recorded(project.client, chance.chance(0.6) ? 20 + chance.below(killed) : Infinity);
    const outcome = await attempt(client).catch((error: unknown) => error as Error);
    project.fake.faults.clear();
    // Waits until the lock of a killed process expires.
    await project.fake.clock.advance(61_000);
    if (outcome === true) return;
    if (run > 30 && !(outcome instanceof Killed)) throw outcome;
  }
  throw new Error("it does not converge");
}

/** Rolls back to the revisions before the last deploy, and forward again, through failures and kills. */
async function rollBackAndForth(project: TestProject, chance: Seeded): Promise<void> {
  for (const direction of ["back", "forth"]) {
    const switches = await rollbackPlan(project.open());
    await repeated(project, chance, async (client) => {
      const cloud = project.open(client);
      const remainingPlan = await rollbackPlan(cloud);
      // If the previous attempt lost only its last response, it succeeded, and another would undo it.
      const isDone = remainingPlan.every(({ id, to }) => switches.some((one) => one.id === id && one.from === to));
      if (remainingPlan.length === 0 || (isDone && switches.length > 0)) return true;
      await rollBack(remainingPlan, cloud);
      return true;
    });
    const lives = await Promise.all(switches.map(({ id }) => traffic.read({ id, spec: {} }, project.open())));
    expect(
      lives.map((live) => live && serving(live)),
      direction,
    ).toEqual(switches.map(({ to }) => to));
  }
}

/** Destroys everything through failures and kills, until nothing is left. */
async function destroyAll(project: TestProject, chance: Seeded): Promise<void> {
  await repeated(project, chance, async (client) => {
    const { clock } = project;
    const confirm = (): Promise<boolean> => Promise.resolve(true);
    const ended = await destroy({ cloud: project.open(client), data: true, holder: "a test", clock, confirm });
    const failed = ended?.outcomes.find(({ state }) => state !== "done");
    if (failed) throw failed.error ?? new Error(`${failed.step.op} ${failed.step.resource.id} was skipped`);
    return true;
  });
  expect((await planOf([], project.open())).steps).toEqual([]);
  const { fake } = project;
  expect([fake.apis.tasks.queues.size, fake.apis.firestore.databases.size]).toEqual([0, 0]);
  const { bindings = [] } = fake.cloud.policies.get("//cloudresourcemanager.googleapis.com/projects/demo-fw");
  expect(bindings.flatMap(({ members }) => members).filter((member) => member.includes("shop-test"))).toEqual([]);
}

function versionsOf(seed: number, project: TestProject): readonly (readonly Resource[])[] {
  const seeded = new Seeded(seed);
  return Array.from({ length: versions }, () => randomResources(seeded, size, project));
}

function worked(plan: Plan): readonly unknown[] {
  return hasChanges(plan) ? plan.steps.filter(({ op }) => op !== "noop") : [];
}

/**
 * Changes one field of a resource in the project, as an edit by hand would, and returns its path; undefined if no field
 * can be changed.
 */
async function changeOne(
  resource: Resource,
  all: readonly Resource[],
  project: TestProject,
  chance: Seeded,
): Promise<string | undefined> {
  const cloud = project.open();
  // Reads the resources whose assigned values are part of its spec.
  for (const each of all.filter(({ kind }) => kind === "sign-in" || kind === "channel"))
    await driverOf(each.kind).read(each, cloud);
  const driver = driverOf(resource.kind);
  const live = await driver.read(resource, cloud);
  if (!live) return undefined;
  const spec = fillPlaceholders(resource.spec, cloud);
  const leaves = leavesOf(spec).filter((path) => {
    const [top = ""] = topOf([{ path, to: "" }]);
    // Editing a template would also create a revision; removing a label leaves a resource without an owner.
    return ![
      "template",
      "labels",
      "userLabels",
      "description",
      "displayName",
      "state",
      "disabled",
      "serving",
      ...driver.fixed,
    ].includes(top);
  });
  const path = leaves[chance.below(leaves.length)];
  // `drift.test.ts` covers edits of these by hand.
  if (
    path === undefined ||
    ["api", "sign-in", "grants", "index", "metric", "time-to-live", "image"].includes(resource.kind)
  )
    return undefined;
  const other = JSON.parse(JSON.stringify(spec)) as Fields;
  setAt(other, path);
  await driver.patch({ ...resource, spec: other }, cloud, {
    live,
    changes: changesOf(other, driver.normalize(live, resource, cloud)),
  });
  const now = await driver.read(resource, cloud);
  const changes = changesOf(spec, driver.normalize(now ?? {}, resource, cloud));
  return changes.length === 1 ? changes[0]?.path : undefined;
}

function leavesOf(value: Value, path = ""): readonly string[] {
  if (isFields(value))
    return Object.entries(value).flatMap(([name, part]) => leavesOf(part, path === "" ? name : `${path}.${name}`));
  if (typeof value === "number" || typeof value === "boolean") return [path];
  return typeof value === "string" && /^\d+s$/.test(value) ? [path] : [];
}

function setAt(whole: Fields, path: string): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  const holder = names.reduce<Fields>((part, name) => part[name] as Fields, whole) as Record<string, Value>;
  const before = holder[last];
  holder[last] =
    typeof before === "boolean"
      ? !before
      : typeof before === "number"
        ? near(before)
        : `${near(Number.parseFloat(before as string))}s`;
}

/** Returns a different number that the APIs accept: most fields have a documented minimum or maximum. */
function near(value: number): number {
  if (value < 0) return 7;
  return value >= 100 ? value - 1 : value + 1;
}
