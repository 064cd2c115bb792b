import type { Outgoing } from "../exchange/exchange.ts";

/** Milliseconds the first bytes may take before the headers leave without them; until then a failing reader is still a 500. */
const headersWait = 50;

/** What to send of a stream. */
export interface StreamPart {
  /** Bytes to leave out at the beginning. */
  readonly skip: number;
  /** Bytes to send then; undefined for all. */
  readonly length: number | undefined;
  /** True when the stream ends there, so that one byte more is a fault. */
  readonly exact: boolean;
}

/**
 * Sends a stream as the body of a response, at the pace of the client. `begin` writes the response's head; it is
 * called when the first bytes are there. A client that disconnects cancels the stream. Rejects with the stream's error;
 * where the head had been written the caller cuts the connection, so that the client cannot take the part for the whole.
 */
export async function sendStream(
  exchange: Outgoing,
  stream: ReadableStream<Uint8Array>,
  part: StreamPart,
  begin: () => void,
): Promise<void> {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel().catch(ignore);
  const start = (): void => {
    if (!exchange.hasBegun) begin();
  };
  const early = setTimeout(() => {
    start();
    exchange.flush();
  }, headersWait);
  if (!exchange.isOpen) cancel();
  exchange.onGone(cancel);
  try {
    await pump(exchange, cut(reader, part), start);
  } catch (error) {
    if (exchange.isOpen) throw error;
  } finally {
    cancel();
    clearTimeout(early);
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

/** The chunks of a part of a stream. Throws where the stream gives fewer bytes than the part has, or more. */
export async function* cut(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  part: StreamPart,
): AsyncGenerator<Uint8Array, void> {
  let skip = part.skip;
  let left = part.length ?? Infinity;
  while (left > 0 || part.exact) {
    const { done, value } = await reader.read();
    if (done) break;
    const chunk = bytes(value).subarray(Math.min(skip, value.byteLength));
    skip -= value.byteLength - chunk.byteLength;
    if (part.exact && chunk.byteLength > left) throw new Error("a blob gave more bytes than its size says");
    if (chunk.byteLength > 0) yield chunk.byteLength > left ? chunk.subarray(0, left) : chunk;
    left -= Math.min(left, chunk.byteLength);
  }
  if (part.length !== undefined && left > 0) throw new Error("a blob gave fewer bytes than its size says");
  if (!part.exact) await reader.cancel();
}

function bytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a blob's stream must give Uint8Array chunks, not ${typeof value}`);
}

function ignore(): void {}
