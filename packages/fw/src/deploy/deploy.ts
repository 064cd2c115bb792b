import { apply, type ApplyOptions, type Outcome } from "./apply.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { addUnchanged } from "./fresh-steps.ts";
import { inventoryBefore, inventoryAfter, writeInventory, type Inventory } from "./inventory.ts";
import { stageOf } from "./kinds/drivers.ts";
import { LockedError, takeLock, type LockClock } from "./lock.ts";
import { currentPlan } from "./current-plan.ts";
import { type Plan, type PlanOptions, type PlanStep } from "./plan.ts";
import type { Resource } from "./resource.ts";
import {
  isLive,
  readLiveVersions,
  recordLive,
  recordNext,
  restoreVersions,
  type LiveVersion,
} from "./live-versions.ts";
import type { StateFile } from "./state-file.ts";

export interface DeployOptions {
  readonly cloud: DeployCloud;
  readonly desired: readonly Resource[];
  readonly options: Pick<PlanOptions, "adopt" | "pruneData">;
  /** The version to deploy, which the next deploy compares with its own. */
  readonly version: LiveVersion;
  /** The account's name, shown to other deploys while this one holds the lock. */
  readonly holder: string;
  readonly clock: LockClock;
  readonly signal?: AbortSignal;
  readonly confirm: (plan: Plan) => Promise<boolean>;
  readonly progress?: Pick<ApplyOptions, "onStart" | "onEnd">;
}

export interface DeployResult {
  readonly plan: Plan;
  /** `unchanged`: nothing to do. `declined`: the user did not confirm. */
  readonly result: "unchanged" | "declined" | "blocked" | "done" | "failed";
  readonly outcomes: readonly Outcome[];
  /** The reason, if the deploy was interrupted or lost its lock. */
  readonly interruption?: Error;
}

/**
 * Plans, asks for confirmation, and applies the plan. Holds the lock while it applies, and records the resources before
 * and after, so that an interrupted deploy can resume.
 */
export async function deploy(deploying: DeployOptions): Promise<DeployResult> {
  const { cloud, desired, options, confirm } = deploying;
  const { plan, before } = await currentPlan(desired, cloud, options);
  addUnchanged(plan, cloud.fresh, before.content?.incomplete === true);
  if (plan.steps.some(({ op }) => op === "blocked")) return { plan, result: "blocked", outcomes: [] };
  const isUpToDate = isRecorded(plan, before, desired) && isLive(deploying.version, await readLiveVersions(cloud));
  if (!hasChanges(plan) && isUpToDate) return { plan, result: "unchanged", outcomes: [] };
  if (hasChanges(plan) && !(await confirm(plan))) return { plan, result: "declined", outcomes: [] };
  const lockOutcomes = await apply({ ...plan, steps: plan.steps.filter(isForLock) }, applyOptions(deploying));
  if (lockOutcomes.some(({ state }) => state !== "done"))
    return { plan, result: "failed", outcomes: lockOutcomes, ...stoppedBy(deploying.signal) };
  const lock = await takeLock(cloud, deploying.holder, deploying.clock);
  try {
    const outcomes = await applyLocked(plan, deploying, lock.lost);
    const all = [...lockOutcomes, ...outcomes];
    if (all.every(({ state }) => state === "done")) return { plan, result: "done", outcomes: all };
    return { plan, result: "failed", outcomes: all, ...stoppedBy(lock.lost, deploying.signal) };
  } finally {
    await lock.release();
  }
}

/** Returns why a deploy or destroy was interrupted, if it was. */
export function stoppedBy(...signals: readonly (AbortSignal | undefined)[]): Pick<DeployResult, "interruption"> {
  const reason: unknown = signals.find((signal) => signal?.aborted === true)?.reason;
  return reason instanceof Error ? { interruption: reason } : {};
}

/**
 * True if the lock itself needs the step, which creates or updates the lock's bucket or enables the API for buckets.
 */
function isForLock({ op, resource }: PlanStep): boolean {
  if (op === "blocked" || op === "noop") return false;
  return (resource.kind === "api" && resource.id.endsWith("/storage.googleapis.com")) || isStateBucket(resource);
}

function isStateBucket(resource: PlanStep["resource"]): boolean {
  return resource.kind === "bucket" && "owns" in resource && resource.owns === "part";
}

async function applyLocked(plan: Plan, deploying: DeployOptions, lost: AbortSignal): Promise<readonly Outcome[]> {
  const { cloud, desired, options, version } = deploying;
  const { plan: now, before } = await currentPlan(desired, cloud, options);
  const remaining: Plan = { ...plan, steps: plan.steps.filter((step) => !isForLock(step)) };
  if (planText(now) !== planText(remaining))
    throw new LockedError(
      "the project has changed since the plan was made; run the same command again to see the new plan",
    );
  const during = await writeInventory(inventoryBefore(remaining, before.content, desired), before, cloud);
  const versions = await readLiveVersions(cloud);
  const started = await recordNext(version, versions, cloud);
  const outcomes = await apply(remaining, applyOptions(deploying, lost));
  if (outcomes.every(({ state }) => state === "done")) {
    await writeInventory(inventoryAfter(remaining, during.content as Inventory, desired), during, cloud);
    await recordLive(version, started, cloud);
  } else if (!outcomes.some(movesTraffic)) await restoreVersions(versions, started, cloud);
  return outcomes;
}

function applyOptions({ cloud, clock, signal, progress }: DeployOptions, lost?: AbortSignal): ApplyOptions {
  const signals = [signal, lost].filter((one) => one !== undefined);
  return { cloud, now: clock.now, ...(signals.length > 0 && { signal: AbortSignal.any(signals) }), ...progress };
}

/** True if a step may have sent requests or messages to the new version. */
function movesTraffic({ step, state }: Outcome): boolean {
  return state !== "skipped" && ["switch", "connect"].includes(stageOf(step.resource));
}

export function hasChanges({ steps }: Plan): boolean {
  return steps.some(({ op }) => op !== "noop" && op !== "leave");
}

function isRecorded(plan: Plan, { content }: StateFile<Inventory>, desired: readonly Resource[]): boolean {
  return content !== undefined && JSON.stringify(inventoryAfter(plan, content, desired)) === JSON.stringify(content);
}

export const lockClock: LockClock = {
  now: () => Date.now(),
  every: (milliseconds, run) => {
    const timer = setInterval(() => void run(), milliseconds);
    return () => clearInterval(timer);
  },
};

/** Formats a plan's changes for comparison. */
function planText({ steps }: Plan): string {
  const lines = steps
    .filter(({ op }) => op !== "noop" && op !== "leave")
    .map(
      (step) =>
        `${stageOf(step.resource)} ${step.op} ${step.resource.kind} ${step.resource.id} ${"changes" in step ? JSON.stringify(step.changes) : ""}`,
    );
  return lines.toSorted().join("\n");
}
