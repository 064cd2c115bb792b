import { apply, type Applying, type Outcome } from "./apply.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { addUnchanged } from "./fresh-steps.ts";
import { begun, ended, writeInventory, type Inventory } from "./inventory.ts";
import { stageOf } from "./kinds/drivers.ts";
import { LockedError, takeLock, type LockClock } from "./lock.ts";
import { currentPlan } from "./current-plan.ts";
import { type Plan, type PlanOptions, type Step } from "./plan.ts";
import type { Resource } from "./resource.ts";
import type { StateFile } from "./state-file.ts";

/** A deploy that is asked for. */
export interface Deploying {
  readonly cloud: DeployCloud;
  readonly desired: readonly Resource[];
  readonly options: Pick<PlanOptions, "adopt" | "pruneData">;
  /** Who deploys, for those who find the lock taken. */
  readonly holder: string;
  readonly clock: LockClock;
  readonly signal?: AbortSignal;
  /** Asks whether a plan is to be carried out. */
  readonly confirm: (plan: Plan) => Promise<boolean>;
  readonly progress?: Pick<Applying, "begun" | "ended">;
}

export interface Deployed {
  readonly plan: Plan;
  /** `unchanged`: nothing was to be done. `declined`: it was not confirmed. */
  readonly result: "unchanged" | "declined" | "blocked" | "done" | "failed";
  readonly outcomes: readonly Outcome[];
  /** The reason if it was stopped or lost its lock. */
  readonly stopped?: Error;
}

/** Plans, asks, and carries out: alone, with a record before and after, so that it can go on from wherever it ends. */
export async function deploy(deploying: Deploying): Promise<Deployed> {
  const { cloud, desired, options, confirm } = deploying;
  const { plan, before } = await currentPlan(desired, cloud, options);
  addUnchanged(plan, cloud.fresh, before.content?.incomplete === true);
  if (plan.steps.some(({ op }) => op === "blocked")) return { plan, result: "blocked", outcomes: [] };
  if (!isWork(plan) && isRecorded(plan, before, desired)) return { plan, result: "unchanged", outcomes: [] };
  if (isWork(plan) && !(await confirm(plan))) return { plan, result: "declined", outcomes: [] };
  const ground = await apply({ ...plan, steps: plan.steps.filter(isGround) }, applying(deploying));
  if (ground.some(({ state }) => state !== "done"))
    return { plan, result: "failed", outcomes: ground, ...stoppedBy(deploying.signal) };
  const lock = await takeLock(cloud, deploying.holder, deploying.clock);
  try {
    const outcomes = await locked(plan, deploying, lock.lost);
    const all = [...ground, ...outcomes];
    if (all.every(({ state }) => state === "done")) return { plan, result: "done", outcomes: all };
    return { plan, result: "failed", outcomes: all, ...stoppedBy(lock.lost, deploying.signal) };
  } finally {
    await lock.release();
  }
}

/** Why a deploy or a destroy was stopped, where it was. */
export function stoppedBy(...signals: readonly (AbortSignal | undefined)[]): Pick<Deployed, "stopped"> {
  const reason: unknown = signals.find((signal) => signal?.aborted === true)?.reason;
  return reason instanceof Error ? { stopped: reason } : {};
}

/** What comes before the lock: where it is kept. */
function isGround({ op, resource }: Step): boolean {
  if (op === "blocked" || op === "noop") return false;
  return (resource.kind === "api" && resource.id.endsWith("/storage.googleapis.com")) || isStateBucket(resource);
}

function isStateBucket(resource: Step["resource"]): boolean {
  return resource.kind === "bucket" && "owns" in resource && resource.owns === "part";
}

async function locked(plan: Plan, deploying: Deploying, lost: AbortSignal): Promise<readonly Outcome[]> {
  const { cloud, desired, options } = deploying;
  const { plan: now, before } = await currentPlan(desired, cloud, options);
  const left: Plan = { ...plan, steps: plan.steps.filter((step) => !isGround(step)) };
  if (textOf(now) !== textOf(left))
    throw new LockedError(
      "the project has changed since the plan was made; deploy again to see what is to be done now",
    );
  const during = await writeInventory(begun(left, before.content, desired), before, cloud);
  const outcomes = await apply(left, applying(deploying, lost));
  if (outcomes.every(({ state }) => state === "done"))
    await writeInventory(ended(left, during.content as Inventory, desired), during, cloud);
  return outcomes;
}

function applying({ cloud, clock, signal, progress }: Deploying, lost?: AbortSignal): Applying {
  const signals = [signal, lost].filter((one) => one !== undefined);
  return { cloud, now: clock.now, ...(signals.length > 0 && { signal: AbortSignal.any(signals) }), ...progress };
}

/** Whether a plan does anything. */
export function isWork({ steps }: Plan): boolean {
  return steps.some(({ op }) => op !== "noop" && op !== "leave");
}

function isRecorded(plan: Plan, { content }: StateFile<Inventory>, desired: readonly Resource[]): boolean {
  return content !== undefined && JSON.stringify(ended(plan, content, desired)) === JSON.stringify(content);
}

/** The clock of the machine. */
export const lockClock: LockClock = {
  now: () => Date.now(),
  every: (milliseconds, run) => {
    const timer = setInterval(() => void run(), milliseconds);
    return () => clearInterval(timer);
  },
};

/** What a plan does, to be compared with another. */
function textOf({ steps }: Plan): string {
  const told = steps
    .filter(({ op }) => op !== "noop" && op !== "leave")
    .map(
      (step) =>
        `${stageOf(step.resource)} ${step.op} ${step.resource.kind} ${step.resource.id} ${"changes" in step ? JSON.stringify(step.changes) : ""}`,
    );
  return told.toSorted().join("\n");
}
