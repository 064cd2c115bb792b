import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Duration } from "./duration.ts";
import { hosted } from "./slot.ts";

/** How often: `"10/h"`, or `"5/15m"` for a window of another length. At most 1,000, in a window of 1 s to 31 days. */
export type LimitRate = `${number}/${"s" | "m" | "h" | "d" | Duration}`;

/** A limit on how often something may happen for each key, exact across processes and machines. */
export interface LimitDeclaration {
  /** @internal */
  readonly kind: "limit";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly rate: LimitRate;
  /**
   * Counts one use of a key, such as an address or the id of a user. If the key has used up its rate, throws a 429 with
   * `Retry-After` and `details: { retryAfter }`, both in seconds. Refused uses do not count. Call it before a
   * transaction, not in one: a transaction that runs again would count again.
   */
  take(ctx: Context, key: string): Promise<void>;
}

/** Limits how often something may happen for each key: `export const signUps = Limit("sign-up", "10/h")`. */
export function Limit(name: string, rate: LimitRate): LimitDeclaration {
  const limit: LimitDeclaration = {
    kind: "limit",
    name,
    rate,
    take: async (ctx, key) => hosted<LimitHost>(ctx).limits.take(ctx, limit, key),
  };
  return recordDeclaration(limit);
}

/** The operations of limits, as the runtime implements them. */
export interface LimitOperations {
  take(ctx: Context, limit: LimitDeclaration, key: string): Promise<void>;
}

/** The part of the Host that limits. */
export interface LimitHost {
  readonly limits: LimitOperations;
}
