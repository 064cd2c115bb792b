import { systemClock } from "../clock.ts";
import type { Platform } from "../contract.ts";
import { LoopbackAccounts } from "./client/accounts.ts";
import { Connection } from "./client/connection.ts";
import type { Address } from "./client/connection.ts";
import { LoopbackEntities } from "./client/entities.ts";
import { LoopbackLeases } from "./client/leases.ts";
import { LoopbackMessages } from "./client/messages.ts";
import { LoopbackObjects } from "./client/objects.ts";

/** A platform that another process of this machine serves (`server.ts`). It connects with its first call. */
export function openLoopback(address: Address): Platform {
  const connection = new Connection(address);
  return {
    entities: new LoopbackEntities(connection),
    leases: new LoopbackLeases(connection),
    accounts: new LoopbackAccounts(connection),
    objects: new LoopbackObjects(connection),
    messages: new LoopbackMessages(connection),
    clock: systemClock,
    close: () => connection.close(),
  };
}
