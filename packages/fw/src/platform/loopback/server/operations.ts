import { accounts } from "./accounts.ts";
import { entities } from "./entities.ts";
import { leases } from "./leases.ts";
import { messages } from "./messages.ts";
import { objects } from "./objects.ts";
import type { Operation } from "./operation.ts";
import { transactions } from "./transactions.ts";

/** Everything that can be asked, by its path. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries({ ...entities, ...transactions, ...leases, ...accounts, ...objects, ...messages }).map(
    ([name, operation]) => [`/${name}`, operation],
  ),
);
