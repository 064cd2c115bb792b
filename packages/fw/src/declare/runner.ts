import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { JobDeclaration } from "./job.ts";
import type { Duration } from "./duration.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a runner, written as a literal. */
export interface RunnerConfig extends Scaling<
  Refused<"fw/traffic: nothing comes in that instances could share; tasks and timeout are settings of a Runner">
> {
  /** How often a task that failed is tried again: 0 to 10, 3 by default. */
  readonly attempts?: number;
  /** Tasks of one run, side by side; 1 by default. */
  readonly tasks?: number;
  /** How long one attempt of a task may take; 10 minutes by default. `ctx.signal` aborts then. */
  readonly timeout?: Duration;
}

/** Which part of a run this is. */
export interface Run {
  /** Of the run, the same for all its tasks and attempts. */
  readonly id: string;
  /** 0 to `tasks` - 1. */
  readonly task: number;
  /** How many the run has. */
  readonly tasks: number;
  /** 1 at the first attempt. */
  readonly attempt: number;
}

/** What `Runner` makes. */
export interface RunnerDeclaration<Args = never> {
  /** @internal */
  readonly kind: "runner";
  /** @internal */
  readonly job: JobDeclaration<Args>;
  /** @internal */
  readonly handler: (ctx: Context, args: Args, run: Run) => void | Promise<unknown>;
  /** @internal */
  readonly config: RunnerConfig;
}

/** The body of a job: `export const rebuildIndex = Runner(rebuild, async (ctx, args, run) => …, { tasks: 4 })`. */
export function Runner<Args>(
  job: JobDeclaration<Args>,
  handler: (ctx: Context, args: Args, run: Run) => void | Promise<unknown>,
  config: RunnerConfig = {},
): RunnerDeclaration<Args> {
  return declared({ kind: "runner", job, handler, config } as const);
}
