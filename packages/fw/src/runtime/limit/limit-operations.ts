import { Fault } from "../../declare/errors.ts";
import type { LimitOperations } from "../../declare/limit.ts";
import { platformOf, type Application } from "../application.ts";
import { usesTenants } from "../capabilities.ts";
import { lifetimeIn } from "../context-ports.ts";
import { messages } from "../error-messages.ts";
import { RetryLater } from "../response/busy.ts";
import { nameInTenant } from "../tenant/tenant-context.ts";
import { countUse } from "./count-use.ts";

/** Implements limits: each use is counted in a transaction, in a document for the limit and key. */
export function limitOperations(application: () => Application): LimitOperations {
  return {
    async take(ctx, limit, key) {
      if (typeof key !== "string") throw new Fault(`limit ${limit.name}: the key is ${typeof key}, not a string`);
      const platform = platformOf(application(), "count the uses of limits on");
      const name = usesTenants ? nameInTenant(ctx, limit) : limit.name;
      const seconds = await countUse(platform, { name, rate: limit.rate }, key, lifetimeIn(ctx));
      if (seconds > 0) throw new RetryLater(429, messages.limited(seconds), seconds, { retryAfter: seconds });
    },
  };
}
