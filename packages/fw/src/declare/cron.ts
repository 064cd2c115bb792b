import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Duration } from "./duration.ts";
import type { Instances, Scaling } from "./scaling.ts";

/** Settings of a cron, written as a literal. */
export interface CronConfig extends Scaling<Instances> {
  /** A time zone from the tz database, such as `"Europe/Zurich"`; UTC by default. */
  readonly timezone?: string;
  /** The deadline of a run, `"15s"` to `"30m"`; 3 minutes by default. `ctx.signal` aborts when it passes. */
  readonly deadline?: Duration;
}

/** The result of `Cron`. */
export interface CronDeclaration {
  /** @internal */
  readonly kind: "cron";
  /** The name, as used by `fw run cron <name>`. */
  readonly name: string;
  /** @internal */
  readonly schedule: string;
  /** @internal */
  readonly handler: (ctx: Context) => void | Promise<unknown>;
  /** @internal */
  readonly config: CronConfig;
}

/**
 * Declares a function that runs on a schedule: `export const digest = Cron("digest", "0 7 * * 1", async (ctx) => …)`,
 * or `"every 15m"`.
 */
export function Cron(
  name: string,
  schedule: string,
  handler: (ctx: Context) => void | Promise<unknown>,
  config: CronConfig = {},
): CronDeclaration {
  return recordDeclaration({ kind: "cron", name, schedule, handler, config } as const);
}
