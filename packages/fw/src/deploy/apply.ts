import { Lane } from "../lib/lane.ts";
import { messageOf } from "../lib/thrown.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import { stages, type DeployCloud } from "./driver.ts";
import { changesOf, type Fields } from "./fields.ts";
import { addChange } from "./fresh-steps.ts";
import { apiOf, driverOf, stageOf } from "./kinds/drivers.ts";
import { fillPlaceholders, type Plan, type PlanStep } from "./plan.ts";
import { keyOf, type Resource } from "./resource.ts";
import { readSecretValues, unknownSecrets } from "./secret-values.ts";

/** The result of a step that changes something. */
export interface Outcome {
  readonly step: PlanStep;
  readonly state: "done" | "failed" | "skipped";
  readonly error?: Error;
  readonly milliseconds: number;
}

export interface ApplyOptions {
  readonly cloud: DeployCloud;
  readonly now: () => number;
  /** When it aborts, no further step starts; steps in progress finish. */
  readonly signal?: AbortSignal;
  readonly onStart?: (step: PlanStep) => void;
  readonly onEnd?: (outcome: Outcome) => void;
}

/** The maximum number of steps that use an API concurrently; `defaultConcurrency` for APIs that are not listed. */
const concurrency: Readonly<Record<string, number>> = { firestore: 1, cloudresourcemanager: 1, iam: 4 };
const defaultConcurrency = 8;

/** Applies a plan stage by stage. After a failure or an abort, skips the stages that follow. */
export async function apply(plan: Plan, applying: ApplyOptions): Promise<readonly Outcome[]> {
  const steps = plan.steps.filter(({ op }) => op !== "noop" && op !== "leave" && op !== "blocked");
  const removals = steps.filter(({ op }) => op === "prune");
  const waves = [
    ...stages.map((stage) => steps.filter((step) => step.op !== "prune" && stageOf(step.resource) === stage)),
    ...stages.toReversed().map((stage) => removals.filter((step) => stageOf(step.resource) === stage)),
  ];
  const outcomes: Outcome[] = [];
  for (const wave of waves) {
    const stopped = applying.signal?.aborted === true || outcomes.some(({ state }) => state !== "done");
    if (stopped) outcomes.push(...wave.map((step) => ({ step, state: "skipped" as const, milliseconds: 0 })));
    else outcomes.push(...(await carryOut(wave, applying)));
  }
  return outcomes;
}

/** Runs the steps of one stage, each after its dependencies. */
async function carryOut(wave: readonly PlanStep[], applying: ApplyOptions): Promise<readonly Outcome[]> {
  const lanes = new Map<string, Lane>();
  const outcomes = new Map<string, Promise<Outcome>>();
  const start = (step: PlanStep): Promise<Outcome> => {
    const key = keyOf(step.resource);
    const started = outcomes.get(key);
    if (started) return started;
    const before = "deps" in step.resource ? step.resource.deps : [];
    const deps = wave.filter(({ resource }) => before.includes(keyOf(resource)));
    const api = apiOf(step.resource);
    const lane = lanes.get(api) ?? new Lane(concurrency[api] ?? defaultConcurrency);
    lanes.set(api, lane);
    const running = (async () => {
      const earlier = await Promise.all(deps.map(start));
      if (earlier.some(({ state }) => state !== "done")) return { step, state: "skipped" as const, milliseconds: 0 };
      return lane.run(() => one(step, applying));
    })();
    outcomes.set(key, running);
    return running;
  };
  return Promise.all(wave.map(start));
}

async function one(step: PlanStep, applying: ApplyOptions): Promise<Outcome> {
  const { cloud, now, signal, onStart, onEnd } = applying;
  if (signal?.aborted) return { step, state: "skipped", milliseconds: 0 };
  onStart?.(step);
  const since = now();
  const outcome = await carry(step, cloud).then(
    (): Outcome => ({ step, state: "done", milliseconds: now() - since }),
    (error: unknown): Outcome => {
      const failure = error instanceof Error ? error : new Error(messageOf(error));
      return { step, state: "failed", error: failure, milliseconds: now() - since };
    },
  );
  if (step.op !== "prune") addChange(step, cloud.fresh);
  onEnd?.(outcome);
  return outcome;
}

async function carry(step: PlanStep, cloud: DeployCloud): Promise<void> {
  const driver = driverOf(step.resource.kind);
  if (step.op === "create") return create(await ready(step.resource, cloud), cloud);
  if (step.op === "update") return driver.patch(await ready(step.resource, cloud), cloud, step);
  if (step.op === "prune") return driver.remove?.(step.resource.id, cloud);
  if (step.op !== "replace") return;
  await driver.remove?.(step.resource.id, cloud);
  await create(await ready(step.resource, cloud), cloud);
}

/**
 * Replaces the placeholders in a spec. Reads secrets again, because the Secret Manager API may have been disabled
 * during planning.
 */
async function ready(resource: Resource, cloud: DeployCloud): Promise<Resource> {
  await readSecretValues([resource], cloud, (request) => cloud.call(request));
  const [unknown] = unknownSecrets([resource], cloud);
  if (unknown !== undefined) throw new Error(`the secret ${unknown} has no enabled version`);
  return { ...resource, spec: fillPlaceholders(resource.spec, cloud) };
}

/** Creates a resource. Updates it instead if it already exists, for example after a lost response. */
async function create(resource: Resource, cloud: DeployCloud): Promise<void> {
  const driver = driverOf(resource.kind);
  let failure: unknown;
  await cloud.until(`the ${resource.title}`, async () => {
    try {
      await driver.create(resource, cloud);
      return true;
    } catch (error) {
      failure = error;
      if (!(error instanceof CloudError) || !(error.unknownEffect || error.status === 409)) throw error;
      // A call that is still creating the resource may cause the conflict before the resource can be read.
      const live = await driver.read(resource, cloud);
      if (live === undefined) return false;
      await adopt(resource, live, cloud, failure);
      return true;
    }
  });
}

/** Updates an existing resource to its spec. Throws if another tool has created it. */
async function adopt(resource: Resource, live: Fields, cloud: DeployCloud, cause: unknown): Promise<void> {
  const driver = driverOf(resource.kind);
  if (resource.owns === "all" && driver.isMarked?.(live, cloud.place, resource.spec) === false)
    throw new Error(`${resource.id} was created by another tool during this deploy; run the same command again`, {
      cause,
    });
  const changes = changesOf(resource.spec, driver.normalize(live, resource, cloud));
  if (changes.length > 0) await driver.patch(resource, cloud, { live, changes });
}
