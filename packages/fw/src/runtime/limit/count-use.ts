import { Fault } from "../../declare/errors.ts";
import type { LimitDeclaration } from "../../declare/limit.ts";
import { parseRate, type Rate } from "../../lib/rate.ts";
import type { Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Lifetime } from "../../platform/lifetime.ts";
import { transact } from "../../platform/transact.ts";
import type { Fields } from "../../platform/values.ts";
import { keyHash } from "../../lib/key-hash.ts";
import { limitKind } from "./kinds.ts";

type NamedRate = Pick<LimitDeclaration, "name" | "rate">;

/** The seconds to return if a use could not be counted because of too many concurrent ones. */
const contentionSeconds = 1;

/**
 * Counts a use, unless the key has exhausted its rate. Returns the seconds until the next use is allowed, or 0 if this
 * use was counted.
 */
export async function countUse(platform: Platform, limit: NamedRate, key: string, until?: Lifetime): Promise<number> {
  const { count, milliseconds } = rateOf(limit);
  // Hashed, because a key may be an address, which should not be readable in the data.
  const document = { kind: limitKind, id: keyHash(limit.name, key) };
  try {
    return await transact(
      platform,
      async (transaction) => {
        const now = platform.clock.now();
        const uses = usesIn((await transaction.get(document))?.fields).filter((at) => at > now - milliseconds);
        const oldest = uses.at(-count);
        if (oldest !== undefined) return Math.max(1, Math.ceil((oldest + milliseconds - now) / 1_000));
        transaction.upsert(document, { at: [...uses, now] }, { expires: new Date(now + milliseconds) });
        return 0;
      },
      { until },
    );
  } catch (error) {
    if (isPlatformError(error, "conflict")) return contentionSeconds;
    throw error;
  }
}

function rateOf({ name, rate }: NamedRate): Rate {
  const parsed = parseRate(rate);
  if ("problem" in parsed) throw new Fault(`limit ${name}: ${parsed.problem}`);
  return parsed;
}

/** Returns the times of earlier uses, oldest first. */
function usesIn(fields: Fields | undefined): readonly number[] {
  const at = fields?.["at"];
  return Array.isArray(at) ? at.filter((each) => typeof each === "number") : [];
}
