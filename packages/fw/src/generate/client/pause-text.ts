/** Waits for a time or until a signal aborts; only present in clients that reconnect. */
export const pauseText = `function pause(ms: number, signal: globalThis.AbortSignal | undefined) {
  return new globalThis.Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
`;
