import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Duration } from "./duration.ts";
import type { Evolution, OldMessage } from "./evolution.ts";
import type { RecordedRun, Run } from "./run.ts";
import { hosted } from "./slot.ts";
import type { TenantSetting } from "./tenant.ts";

/** Long-running work, started by code or by an operator. */
export interface JobDeclaration<in out Args = never, out Task extends Run = Run> {
  /** @internal */
  readonly kind: "job";
  /** The name, as used by `fw run job <name>`. */
  readonly name: string;
  /** @internal */
  readonly evolution?: Evolution<Record<string, unknown>, OldMessage> & TenantSetting;
  /** @internal */
  readonly history?: Duration;
  /** @internal */
  readonly args?: Args;
  /** The type of `run` in the job's runner; never set. */
  readonly task?: Task;
  /** Starts a run and resolves with its id without waiting for the run to end. */
  start(ctx: Context, args: Args): Promise<string>;
}

/** A job whose runs are recorded, so that code can read their progress and cancel them. */
export interface RecordedJob<in out Args = never> extends JobDeclaration<Args, RecordedRun> {
  /** Returns a run. Throws `NotFound` (404) for an unknown id and for a run that is no longer recorded. */
  get(ctx: Context, id: string): Promise<JobRun>;
  /** Returns the newest runs, newest first. */
  list(ctx: Context, options?: RunListOptions): Promise<readonly JobRun[]>;
  /**
   * Cancels a run. A waiting run never starts. In a running one, `ctx.signal` aborts, and the run becomes `cancelled`
   * when its handler ends, or after `within`. Resolves with true if the run had not ended yet. Inside a transaction,
   * the run is cancelled if and only if the transaction commits.
   */
  cancel(ctx: Context, id: string, options?: CancelOptions): Promise<boolean>;
}

/** Options of `list`. */
export interface RunListOptions {
  /** The maximum number of runs: 1 to 1,000; 100 by default. */
  readonly limit?: number;
}

/** Options of `cancel`. */
export interface CancelOptions {
  /** The grace period for a running handler: `"0s"` to `"1h"`, `"10s"` by default. */
  readonly within?: Duration;
}

/** A recorded run of a job. */
export interface JobRun {
  readonly id: string;
  /** A run with several tasks is `running` from the start of its first task until none is running or waiting. */
  readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
  /** The completed share of the work, 0 to 1: the average over its tasks. */
  readonly progress: number;
  /** The latest note in a progress report of any task; absent if there is none. */
  readonly note?: string;
  /** The id of the user whose request started the run; absent for other runs. */
  readonly by?: string;
  /** The time of `start`. */
  readonly requestedAt: Date;
  /** The time when its first task started; absent until then. */
  readonly beganAt?: Date;
  /** The time when its last task ended; absent until then. */
  readonly endedAt?: Date;
  /** The time of the first `cancel`; absent if there was none. */
  readonly cancelledAt?: Date;
  /** The error message of a task's latest failed attempt, even if the task is being retried. */
  readonly error?: string;
  /** The highest number of attempts of any task. */
  readonly attempts: number;
  readonly tasks: number;
}

/** The setting that makes a job record its runs. */
export interface HistorySetting {
  /** How long a run stays recorded after its end: `"1d"` to `"366d"`. A job keeps at most its last 1,000 ended runs. */
  readonly history: Duration;
}

/** Declares a job whose runs are recorded: `export const rebuild = Job<Rebuild>("rebuild", { history: "30d" })`. */
export function Job<Args = void>(
  name: string,
  settings: Evolution<Args, OldMessage> & TenantSetting & HistorySetting,
): RecordedJob<Args>;
/**
 * Declares a job: `export const rebuild = Job<{ since: Date }>("rebuild")`. A `Runner` implements it. With
 * `{ tenant: orgs }`, each tenant has its own runs.
 */
export function Job<Args = void>(
  name: string,
  evolution?: Evolution<Args, OldMessage> & TenantSetting,
): JobDeclaration<Args>;
export function Job<Args = void>(
  name: string,
  settings?: Evolution<Args, OldMessage> & TenantSetting & Partial<HistorySetting>,
): RecordedJob<Args> {
  const job: RecordedJob<Args> = {
    kind: "job",
    name,
    ...(settings && { evolution: settings }),
    ...(settings?.history !== undefined && { history: settings.history }),
    start: (ctx, args) => hosted<JobHost>(ctx).messages.start(ctx, job as never, args),
    get: async (ctx, id) => hosted<JobHost>(ctx).runs.get(ctx, job as never, id),
    list: async (ctx, options = {}) => hosted<JobHost>(ctx).runs.list(ctx, job as never, options),
    cancel: async (ctx, id, options = {}) => hosted<JobHost>(ctx).runs.cancel(ctx, job as never, id, options),
  };
  return recordDeclaration(job);
}

/** The operations on recorded runs, as the runtime implements them. */
export interface RunOperations {
  get(ctx: Context, job: JobDeclaration, id: string): Promise<JobRun>;
  list(ctx: Context, job: JobDeclaration, options: RunListOptions): Promise<readonly JobRun[]>;
  cancel(ctx: Context, job: JobDeclaration, id: string, options: CancelOptions): Promise<boolean>;
}

/** The part of the Host that starts jobs and reads their runs. `start` resolves with the run's id. */
export interface JobHost {
  readonly messages: {
    start(ctx: Context, job: JobDeclaration, args: unknown): Promise<string>;
  };
  readonly runs: RunOperations;
}
