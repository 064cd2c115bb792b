import type { Outgoing } from "../exchange/exchange.ts";

/**
 * Milliseconds to wait for the first bytes before sending the headers. During that time, an error of the reader can
 * still become a 500.
 */
const headersWait = 50;

export interface StreamRange {
  readonly skip: number;
  /** The number of bytes to send after the skipped ones; undefined for all. */
  readonly length: number | undefined;
  /** True if the stream must end after the range. Any further byte is an error. */
  readonly exact: boolean;
}

/**
 * Sends a stream as a response body, as fast as the client reads it. Calls `begin`, which writes the head, when the
 * first bytes arrive or after `headersWait`. Cancels the stream if the client disconnects. Rejects with the stream's
 * error. If the head was sent, the caller must then cut the connection, so the partial body does not look complete.
 */
export async function sendStream(
  exchange: Outgoing,
  stream: ReadableStream<Uint8Array>,
  range: StreamRange,
  begin: () => void,
): Promise<void> {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel().catch(ignore);
  const start = (): void => {
    if (!exchange.hasBegun) begin();
  };
  const headersTimer = setTimeout(() => {
    start();
    exchange.flush();
  }, headersWait);
  if (!exchange.isOpen) cancel();
  exchange.onGone(cancel);
  try {
    await pump(exchange, chunksOfRange(reader, range), start);
  } catch (error) {
    if (exchange.isOpen) throw error;
  } finally {
    cancel();
    clearTimeout(headersTimer);
    exchange.offGone(cancel);
  }
}

async function pump(exchange: Outgoing, chunks: AsyncIterable<Uint8Array>, start: () => void): Promise<void> {
  for await (const chunk of chunks) {
    if (!exchange.isOpen) return;
    start();
    if (!exchange.write(chunk)) await new Promise<void>((resolve) => exchange.onceDrained(resolve));
  }
  if (!exchange.isOpen) return;
  start();
  exchange.end();
}

/**
 * Yields the chunks of a range of a stream. Throws if the stream is shorter than the range, or longer than an exact
 * range.
 */
export async function* chunksOfRange(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  range: StreamRange,
): AsyncGenerator<Uint8Array, void> {
  let skip = range.skip;
  let remaining = range.length ?? Infinity;
  while (remaining > 0 || range.exact) {
    const { done, value } = await reader.read();
    if (done) break;
    const chunk = bytes(value).subarray(Math.min(skip, value.byteLength));
    skip -= value.byteLength - chunk.byteLength;
    if (range.exact && chunk.byteLength > remaining) throw new Error("a blob's stream is longer than its size");
    if (chunk.byteLength > 0) yield chunk.byteLength > remaining ? chunk.subarray(0, remaining) : chunk;
    remaining -= Math.min(remaining, chunk.byteLength);
  }
  if (range.length !== undefined && remaining > 0) throw new Error("a blob's stream is shorter than its size");
  if (!range.exact) await reader.cancel();
}

function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a blob's stream must yield Uint8Array chunks, not ${typeof value}`);
}

function ignore(): void {}
