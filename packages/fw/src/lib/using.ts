/** Collects the resources of a block with `using` or `await using`, and releases them in reverse order. */
interface UsingContext {
  /** The error with which the block ended. */
  e: unknown;
  u<T>(value: T): T;
  a<T>(value: T): T;
  d(): unknown;
}

type Dispose = (() => unknown) | undefined;

const none: unique symbol = Symbol("no error");

/** Implements `using` and `await using` for older versions of Node, in the form that Rolldown's output calls. */
export default function usingContext(): UsingContext {
  const entries: { readonly dispose: () => unknown; readonly waits: boolean }[] = [];
  const context: UsingContext = {
    e: none,
    u: (value) => remember(value, false),
    a: (value) => remember(value, true),
    d: disposeAll,
  };

  function remember<T>(value: T, waits: boolean): T {
    if (value === null || value === undefined) {
      if (waits) entries.push({ dispose: () => undefined, waits });
      return value;
    }
    const methods = value as { [Symbol.dispose]?: Dispose; [Symbol.asyncDispose]?: Dispose };
    const dispose = (waits ? methods[Symbol.asyncDispose] : undefined) ?? methods[Symbol.dispose];
    if (typeof dispose !== "function") throw new TypeError("a value declared with using has no dispose method");
    entries.push({ dispose: () => dispose.call(value), waits });
    return value;
  }

  /**
   * Releases the remaining resources. Returns a promise as soon as it reaches a resource that `await using` declares.
   */
  function disposeAll(): unknown {
    for (let entry = entries.pop(); entry; entry = entries.pop()) {
      try {
        const disposed = entry.dispose();
        if (entry.waits) return Promise.resolve(disposed).catch(failed).then(disposeAll);
      } catch (error) {
        failed(error);
        if (entry.waits) return Promise.resolve().then(disposeAll);
      }
    }
    if (context.e !== none) throw context.e;
    return undefined;
  }

  function failed(error: unknown): void {
    context.e = context.e === none ? error : new AggregateError([error, context.e], "an error while disposing");
  }

  return context;
}
