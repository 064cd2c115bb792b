import type { StoredObject } from "../../objects.ts";
import type { AnyOperation } from "../../operation.ts";
import { operations as table, operationsOf, type PortName } from "../../operations.ts";
import { changes } from "./changes.ts";
import { objects } from "./objects.ts";
import type { CallContext, ServedOperation } from "./operation.ts";
import { transactions } from "./transactions.ts";

/** All operations by path. */
export const operations: ReadonlyMap<string, ServedOperation> = new Map<string, ServedOperation>([
  ...(Object.keys(table) as PortName[]).flatMap((port) =>
    operationsOf(port).map(([name, operation]) => [`/${port}/${name}`, serveOperation(port, name, operation)] as const),
  ),
  ...Object.entries({ ...changes, ...objects, ...transactions }).map(
    ([name, operation]) => [`/${name}`, operation] as const,
  ),
]);

/** Serves a platform operation; if the platform lacks it, the result is undefined. */
function serveOperation(
  port: PortName,
  name: string,
  { args, accesses, answers, handle }: AnyOperation,
): ServedOperation {
  return {
    args,
    accesses,
    run: async (values, { platform, peer }) => {
      const target = platform[port] as unknown as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
      const result = await target[name]?.(...values);
      return answers.write(handle === "object" ? withHandle(result as StoredObject | undefined, peer) : result);
    },
  };
}

function withHandle(object: StoredObject | undefined, peer: CallContext["peer"]): unknown {
  return object && { ...object, handle: peer.keepObject(object) };
}
