interface Pulled {
  /** Ends the pieces where the reader wants no more, also one that is waited for; by default they are told to return. */
  readonly cancel?: (reason: unknown) => unknown;
  /** What is in use for as long as the stream is. */
  readonly holder?: object;
}

/** A stream of bytes that are asked for piece by piece when they are read: one that nobody reads costs nothing. */
export function pulled(pieces: AsyncIterator<Uint8Array>, { cancel, holder }: Pulled = {}): ReadableStream<Uint8Array> {
  const source = {
    holder,
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async (reason: unknown) => void (await (cancel ? cancel(reason) : pieces.return?.())),
  };
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}
