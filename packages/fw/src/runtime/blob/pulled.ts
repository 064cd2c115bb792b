/** Chunks as a stream of which nothing is read ahead. `cancel` lets go of what they come from. */
export function pulled(
  next: () => Promise<IteratorResult<Uint8Array, unknown>>,
  cancel: (reason: unknown) => void | Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}
