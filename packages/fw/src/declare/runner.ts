import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { JobDeclaration } from "./job.ts";
import type { Duration } from "./duration.ts";
import type { Run } from "./run.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a runner, written as a literal. */
export interface RunnerConfig extends Scaling<
  Refused<"fw/traffic: a Runner receives no requests; set tasks and timeout instead">
> {
  /** The number of retries of a failed task: 0 to 10, 3 by default. */
  readonly attempts?: number;
  /** The number of parallel tasks in a run; 1 by default. */
  readonly tasks?: number;
  /** The deadline of one attempt of a task; 10 minutes by default. `ctx.signal` aborts when it passes. */
  readonly timeout?: Duration;
}

/** The result of `Runner`. */
export interface RunnerDeclaration<Args = never> {
  /** @internal */
  readonly kind: "runner";
  /** @internal */
  readonly job: JobDeclaration<Args>;
  /** @internal */
  readonly handler: (ctx: Context, args: Args, run: never) => void | Promise<unknown>;
  /** @internal */
  readonly config: RunnerConfig;
}

/**
 * Declares a job's runner: `export const rebuildIndex = Runner(rebuild, async (ctx, args, run) => …, { tasks: 4 })`.
 */
export function Runner<Args, Task extends Run>(
  job: JobDeclaration<Args, Task>,
  handler: (ctx: Context, args: Args, run: Task) => void | Promise<unknown>,
  config: RunnerConfig = {},
): RunnerDeclaration<Args> {
  return recordDeclaration({ kind: "runner", job, handler, config } as const);
}
