import type { StoredObject } from "../../objects.ts";
import type { AnyOperation } from "../../operation.ts";
import { operations as table, operationsOf, type PortName } from "../../operations.ts";
import { changes } from "./changes.ts";
import { type CallContext, type ServedOperation, Download, serving } from "./operation.ts";
import { transactions } from "./transactions.ts";
import { checked, list, Malformed, object, optional, text } from "../../../lib/codec.ts";

const whole = checked<number>("a whole number", (value) => Number.isInteger(value) && (value as number) >= 0);
const range = object<{ readonly start: number; readonly end: number }>({ start: whole, end: whole });

/** Operations on opened objects. Their handle is the permission: only the opening process has it. */
const objects: Readonly<Record<string, ServedOperation>> = {
  "objects/read": serving({
    args: [text, optional(range)],
    accesses: () => [],
    run: async ([handle, range], { peer }) => {
      const opened = peer.object(handle);
      const { start, end } = range ?? { start: 0, end: opened.size };
      if (end < start || end > opened.size) throw new Malformed("the range exceeds the object");
      return new Download(end - start, opened.stream({ start, end }));
    },
  }),
  "objects/forget": serving({
    args: [list(text)],
    accesses: () => [],
    run: async ([handles], { peer }) => handles.forEach((handle) => peer.forgetObject(handle)),
  }),
};

export const operations: ReadonlyMap<string, ServedOperation> = new Map<string, ServedOperation>([
  ...(Object.keys(table) as PortName[]).flatMap((port) =>
    operationsOf(port).map(([name, operation]) => [`/${port}/${name}`, serveOperation(port, name, operation)] as const),
  ),
  ...Object.entries({ ...changes, ...objects, ...transactions }).map(
    ([name, operation]) => [`/${name}`, operation] as const,
  ),
]);

/** Serves a platform operation. If the platform lacks it, the result is undefined. */
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
