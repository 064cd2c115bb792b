/** The same operations, each of which `call` carries out. */
export function wrapped<T extends object>(operations: T, call: (operation: () => unknown) => unknown): T {
  return new Proxy(operations, {
    get(_, name) {
      const operation = (operations as Record<PropertyKey, unknown>)[name];
      if (typeof operation !== "function") return operation;
      return (...given: unknown[]) => call((): unknown => operation.apply(operations, given));
    },
  });
}
