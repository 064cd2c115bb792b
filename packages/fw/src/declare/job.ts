import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Evolution, OldMessage } from "./evolution.ts";
import { hosted } from "./slot.ts";

/** Long-running work that code or an operator starts. */
export interface JobDeclaration<in out Args = never> {
  /** @internal */
  readonly kind: "job";
  /** The name, as used by `fw run job <name>`. */
  readonly name: string;
  /** @internal */
  readonly evolution?: Evolution<Record<string, unknown>, OldMessage>;
  /** @internal */
  readonly args?: Args;
  /** Starts a run and resolves with its id without waiting for the run to end. */
  start(ctx: Context, args: Args): Promise<string>;
}

/** Declares a job: `export const rebuild = Job<{ since: Date }>("rebuild")`. A `Runner` implements it. */
export function Job<Args = void>(name: string, evolution?: Evolution<Args, OldMessage>): JobDeclaration<Args> {
  const job: JobDeclaration<Args> = {
    kind: "job",
    name,
    ...(evolution && { evolution }),
    start: (ctx, args) => hosted<JobHost>(ctx).messages.start(ctx, job as never, args),
  };
  return recordDeclaration(job);
}

/** The part of the Host that starts jobs. Resolves with the run's id. */
export interface JobHost {
  readonly messages: {
    start(ctx: Context, job: JobDeclaration, args: unknown): Promise<string>;
  };
}
