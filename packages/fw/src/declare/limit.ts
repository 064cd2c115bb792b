import type { Context } from "./context.ts";
import { recordDeclaration } from "./declaration-records.ts";
import type { Duration } from "./duration.ts";
import { hosted } from "./slot.ts";
import type { TenantDeclaration, TenantSetting } from "./tenant.ts";

/** A maximum rate: `"10/h"`, or `"5/15m"` for another window. At most 1,000 uses per window of 1 second to 31 days. */
export type LimitRate = `${number}/${"s" | "m" | "h" | "d" | Duration}`;

/** A rate limit with a separate count for each key, exact across processes and machines. */
export interface LimitDeclaration {
  /** @internal */
  readonly kind: "limit";
  /** @internal */
  readonly name: string;
  /** @internal */
  readonly rate: LimitRate;
  /** @internal */
  readonly tenant?: TenantDeclaration | "shared";
  /**
   * Counts one use of a key, such as an address or a user id. If the key has reached its rate, throws a 429 with
   * `Retry-After` and `details: { retryAfter }`, both in seconds. Refused uses do not count. Call it before a
   * transaction, not inside one: a transaction that runs again would count the use again.
   */
  take(ctx: Context, key: string): Promise<void>;
}

/**
 * Declares a limit on the rate of uses for each key: `export const signUps = Limit("sign-up", "10/h")`. With `{ tenant:
 * orgs }`, the keys of each tenant are counted separately.
 */
export function Limit(name: string, rate: LimitRate, settings: TenantSetting = {}): LimitDeclaration {
  const limit: LimitDeclaration = {
    kind: "limit",
    name,
    rate,
    ...(settings.tenant && { tenant: settings.tenant }),
    take: async (ctx, key) => hosted<LimitHost>(ctx).limits.take(ctx, limit, key),
  };
  return recordDeclaration(limit);
}

/** The operations of limits, as the runtime implements them. */
export interface LimitOperations {
  take(ctx: Context, limit: LimitDeclaration, key: string): Promise<void>;
}

/** The part of the Host that counts uses of limits. */
export interface LimitHost {
  readonly limits: LimitOperations;
}
