import type { StoredObject } from "../../objects.ts";
import type { AnyOperation } from "../../operation.ts";
import { operations as table, operationsOf, type PortName } from "../../operations.ts";
import { objects } from "./objects.ts";
import type { Place, Served } from "./operation.ts";
import { transactions } from "./transactions.ts";

/** Everything that can be asked for, by its path. */
export const operations: ReadonlyMap<string, Served> = new Map<string, Served>([
  ...(Object.keys(table) as PortName[]).flatMap((port) =>
    operationsOf(port).map(([name, operation]) => [`/${port}/${name}`, served(port, name, operation)] as const),
  ),
  ...Object.entries({ ...objects, ...transactions }).map(([name, operation]) => [`/${name}`, operation] as const),
]);

/** An operation as the platform carries it out; one that it does not have answers undefined. */
function served(port: PortName, name: string, { args, accesses, answers, handle }: AnyOperation): Served {
  return {
    args,
    accesses,
    run: async (values, { platform, peer }) => {
      const target = platform[port] as unknown as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
      const result = await target[name]?.(...values);
      return answers.write(handle === "object" ? named(result as StoredObject | undefined, peer) : result);
    },
  };
}

function named(object: StoredObject | undefined, peer: Place["peer"]): unknown {
  return object && { ...object, handle: peer.keepObject(object) };
}
