import { Lane } from "../lib/lane.ts";
import { messageOf } from "../lib/thrown.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import { stages, type DeployCloud } from "./driver.ts";
import { changesOf, type Fields } from "./fields.ts";
import { addChange } from "./fresh-steps.ts";
import { apiOf, driverOf, stageOf } from "./kinds/drivers.ts";
import { resolved, type Plan, type Step } from "./plan.ts";
import { keyOf, type Resource } from "./resource.ts";
import { readSecretValues, unknownSecrets } from "./secret-values.ts";

/** What became of a step that does something. */
export interface Outcome {
  readonly step: Step;
  readonly state: "done" | "failed" | "skipped";
  /** Of a failure. */
  readonly error?: Error;
  readonly milliseconds: number;
}

export interface Applying {
  readonly cloud: DeployCloud;
  readonly now: () => number;
  /** Ends it after the steps that are under way. */
  readonly signal?: AbortSignal;
  readonly begun?: (step: Step) => void;
  readonly ended?: (outcome: Outcome) => void;
}

/** Calls of one API that are under way at the same time; of others as many as `elsewhere`. */
const atOnce: Readonly<Record<string, number>> = { firestore: 1, cloudresourcemanager: 1, iam: 4 };
const elsewhere = 8;

/** Carries a plan out, stage by stage. After a stage in which anything failed, no other begins. */
export async function apply(plan: Plan, applying: Applying): Promise<readonly Outcome[]> {
  const steps = plan.steps.filter(({ op }) => op !== "noop" && op !== "leave" && op !== "blocked");
  const gone = steps.filter(({ op }) => op === "prune");
  const waves = [
    ...stages.map((stage) => steps.filter((step) => step.op !== "prune" && stageOf(step.resource) === stage)),
    ...stages.toReversed().map((stage) => gone.filter((step) => stageOf(step.resource) === stage)),
  ];
  const outcomes: Outcome[] = [];
  for (const wave of waves) {
    const stopped = applying.signal?.aborted === true || outcomes.some(({ state }) => state !== "done");
    if (stopped) outcomes.push(...wave.map((step) => ({ step, state: "skipped" as const, milliseconds: 0 })));
    else outcomes.push(...(await carryOut(wave, applying)));
  }
  return outcomes;
}

/** The steps of one stage, each after those that it depends on. */
async function carryOut(wave: readonly Step[], applying: Applying): Promise<readonly Outcome[]> {
  const lanes = new Map<string, Lane>();
  const begun = new Map<string, Promise<Outcome>>();
  const start = (step: Step): Promise<Outcome> => {
    const key = keyOf(step.resource);
    const known = begun.get(key);
    if (known) return known;
    const before = "deps" in step.resource ? step.resource.deps : [];
    const deps = wave.filter(({ resource }) => before.includes(keyOf(resource)));
    const api = apiOf(step.resource);
    const lane = lanes.get(api) ?? new Lane(atOnce[api] ?? elsewhere);
    lanes.set(api, lane);
    const running = (async () => {
      const earlier = await Promise.all(deps.map(start));
      if (earlier.some(({ state }) => state !== "done")) return { step, state: "skipped" as const, milliseconds: 0 };
      return lane.run(() => one(step, applying));
    })();
    begun.set(key, running);
    return running;
  };
  return Promise.all(wave.map(start));
}

async function one(step: Step, applying: Applying): Promise<Outcome> {
  const { cloud, now, signal, begun, ended } = applying;
  if (signal?.aborted) return { step, state: "skipped", milliseconds: 0 };
  begun?.(step);
  const since = now();
  const outcome = await carry(step, cloud).then(
    (): Outcome => ({ step, state: "done", milliseconds: now() - since }),
    (error: unknown): Outcome => {
      const told = error instanceof Error ? error : new Error(messageOf(error));
      return { step, state: "failed", error: told, milliseconds: now() - since };
    },
  );
  if (step.op !== "prune") addChange(step, cloud.fresh);
  ended?.(outcome);
  return outcome;
}

async function carry(step: Step, cloud: DeployCloud): Promise<void> {
  const driver = driverOf(step.resource.kind);
  if (step.op === "create") return create(await ready(step.resource, cloud), cloud);
  if (step.op === "update") return driver.patch(await ready(step.resource, cloud), cloud, step);
  if (step.op === "prune") return driver.remove?.(step.resource.id, cloud);
  if (step.op !== "replace") return;
  await driver.remove?.(step.resource.id, cloud);
  await create(await ready(step.resource, cloud), cloud);
}

/** Fills the placeholders in a spec. The Secret Manager API may have been off when the plan was made. */
async function ready(resource: Resource, cloud: DeployCloud): Promise<Resource> {
  await readSecretValues([resource], cloud, (request) => cloud.call(request));
  const [unknown] = unknownSecrets([resource], cloud);
  if (unknown !== undefined) throw new Error(`the secret ${unknown} has no version that is enabled`);
  return { ...resource, spec: resolved(resource.spec, cloud) };
}

/**
 * Makes a resource, or brings it to its spec where it turns out to be there: an earlier deploy, or a call whose answer was lost, may
 * have made it.
 */
async function create(resource: Resource, cloud: DeployCloud): Promise<void> {
  const driver = driverOf(resource.kind);
  let failure: unknown;
  await cloud.until(`${resource.title} is made`, async () => {
    try {
      await driver.create(resource, cloud);
      return true;
    } catch (error) {
      failure = error;
      if (!(error instanceof CloudError) || !(error.unknownEffect || error.status === 409)) throw error;
      // What another call is still making is refused as there, and not found.
      const live = await driver.read(resource, cloud);
      if (live === undefined) return false;
      await adopt(resource, live, cloud, failure);
      return true;
    }
  });
}

/** What is there already, as it should be. */
async function adopt(resource: Resource, live: Fields, cloud: DeployCloud, cause: unknown): Promise<void> {
  const driver = driverOf(resource.kind);
  if (resource.owns === "all" && driver.isMarked?.(live, cloud.place, resource.spec) === false)
    throw new Error(`${resource.id} was made by somebody else meanwhile; deploy again`, { cause });
  const changes = changesOf(resource.spec, driver.normalize(live, resource, cloud));
  if (changes.length > 0) await driver.patch(resource, cloud, { live, changes });
}
