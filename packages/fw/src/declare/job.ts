import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import { hosted } from "./slot.ts";

/** Work that is started by hand or by code and may take long. */
export interface JobDeclaration<in out Args = never> {
  /** @internal */
  readonly kind: "job";
  /** Its name, which `fw run job` takes. */
  readonly name: string;
  /** @internal */
  readonly args?: Args;
  /** Starts a run and resolves with its id, long before the run ends. */
  start(ctx: Context, args: Args): Promise<string>;
}

/** Declares a job: `export const rebuild = Job<{ since: Date }>("rebuild")`. A `Runner` is its body. */
export function Job<Args = void>(name: string): JobDeclaration<Args> {
  const job: JobDeclaration<Args> = {
    kind: "job",
    name,
    start: (ctx, args) => hosted<JobHost>(ctx).messages.start(ctx, job as never, args),
  };
  return declared(job);
}

/** What a job asks of the runtime, as part of the Host. It resolves with an id. */
export interface JobHost {
  readonly messages: {
    start(ctx: Context, job: JobDeclaration, args: unknown): Promise<string>;
  };
}
