import { createHash } from "node:crypto";
import { Fault } from "../../declare/errors.ts";
import type { LimitDeclaration, LimitOperations } from "../../declare/limit.ts";
import { parseRate, type Rate } from "../../lib/rate.ts";
import type { Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Lifetime } from "../../platform/lifetime.ts";
import { transact } from "../../platform/transact.ts";
import type { Fields } from "../../platform/values.ts";
import { platformOf, type Application } from "../application.ts";
import { lifetimeIn } from "../context-ports.ts";
import { messages } from "../error-messages.ts";
import { RetryLater } from "../response/busy.ts";
import { limitKind } from "./kinds.ts";

/** Seconds to wait after a use that lost to too many others at the same moment. */
const contentionSeconds = 1;

/** Implements limits: a transaction counts each use in a document of the limit and the key. */
export function limitOperations(application: () => Application): LimitOperations {
  return {
    async take(ctx, limit, key) {
      if (typeof key !== "string") throw new Fault(`limit ${limit.name}: the key is ${typeof key}, not a string`);
      const platform = platformOf(application(), "count the uses of limits on");
      const seconds = await countUse(platform, limit, key, lifetimeIn(ctx));
      if (seconds > 0) throw new RetryLater(429, messages.limited(seconds), seconds, { retryAfter: seconds });
    },
  };
}

/** Counts a use unless the key has used up its rate; returns the seconds until its next use, or 0 if it counted. */
async function countUse(
  platform: Platform,
  limit: LimitDeclaration,
  key: string,
  until: Lifetime | undefined,
): Promise<number> {
  const { count, milliseconds } = rateOf(limit);
  const document = { kind: limitKind, id: documentId(limit, key) };
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

function rateOf({ name, rate }: LimitDeclaration): Rate {
  const parsed = parseRate(rate);
  if ("problem" in parsed) throw new Fault(`limit ${name}: ${parsed.problem}`);
  return parsed;
}

/** A hash: a key may be longer than an id, and may be an address that should not be readable in the data. */
function documentId({ name }: LimitDeclaration, key: string): string {
  return createHash("sha256").update(`${name}\0${key}`).digest("base64url");
}

/** The instants of earlier uses, oldest first. */
function usesIn(fields: Fields | undefined): readonly number[] {
  const at = fields?.["at"];
  return Array.isArray(at) ? at.filter((each) => typeof each === "number") : [];
}
