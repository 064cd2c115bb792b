import type { UnderWay } from "./under-way.ts";

/** The same operations, each of which is under way until it has ended. */
export function followed<T extends object>(operations: T, underWay: UnderWay): T {
  return new Proxy(operations, {
    get(_, name) {
      const operation = (operations as Record<PropertyKey, unknown>)[name];
      if (typeof operation !== "function") return operation;
      return (...given: unknown[]): unknown => {
        const result: unknown = operation.apply(operations, given);
        return result instanceof Promise ? underWay.follow(result) : result;
      };
    },
  });
}
