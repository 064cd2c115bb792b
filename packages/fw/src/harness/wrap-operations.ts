/** Wraps operations so that each of them runs through `call`. */
export function wrapOperations<T extends object>(operations: T, call: (operation: () => unknown) => unknown): T {
  return new Proxy(operations, {
    get(_, name) {
      const operation = (operations as Record<PropertyKey, unknown>)[name];
      if (typeof operation !== "function") return operation;
      return (...args: unknown[]) => call((): unknown => operation.apply(operations, args));
    },
  });
}
