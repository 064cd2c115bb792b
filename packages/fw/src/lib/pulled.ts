interface Pulled {
  /** Ends the source, even if it is pending, when the reader cancels; calls `return()` by default. */
  readonly cancel?: (reason: unknown) => unknown;
  /** A resource to keep alive while the stream is open. */
  readonly holder?: object;
}

/** Returns a byte stream that reads its source on demand, so that an unread stream costs nothing. */
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
