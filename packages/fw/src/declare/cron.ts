import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { Duration } from "./duration.ts";
import type { Instances, Scaling } from "./scaling.ts";

/** Settings of a cron, written as a literal. */
export interface CronConfig extends Scaling<Instances> {
  /** A name of the tz database, `"Europe/Zurich"`; UTC by default. */
  readonly timezone?: string;
  /** How long one run may take, `"15s"` to `"30m"`; 3 minutes by default. `ctx.signal` aborts then. */
  readonly deadline?: Duration;
}

/** What `Cron` makes. */
export interface CronDeclaration {
  /** @internal */
  readonly kind: "cron";
  /** Its name, which `fw run cron` takes. */
  readonly name: string;
  /** @internal */
  readonly schedule: string;
  /** @internal */
  readonly handler: (ctx: Context) => void | Promise<unknown>;
  /** @internal */
  readonly config: CronConfig;
}

/** Runs on a schedule: `export const digest = Cron("digest", "0 7 * * 1", async (ctx) => …)`, or `"every 15m"`. */
export function Cron(
  name: string,
  schedule: string,
  handler: (ctx: Context) => void | Promise<unknown>,
  config: CronConfig = {},
): CronDeclaration {
  return declared({ kind: "cron", name, schedule, handler, config } as const);
}
