import type { IncomingMessage, ServerResponse } from "node:http";

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
  req: IncomingMessage,
  res: ServerResponse,
  stream: ReadableStream<Uint8Array>,
  part: StreamPart,
  begin: () => void,
): Promise<void> {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel().catch(ignore);
  const start = (): void => {
    if (!res.headersSent) begin();
  };
  const early = setTimeout(() => {
    start();
    res.flushHeaders();
  }, headersWait);
  if (req.socket.destroyed) cancel();
  req.socket.once("close", cancel);
  try {
    await pump(req, res, cut(reader, part), start);
  } catch (error) {
    if (!req.socket.destroyed) throw error;
  } finally {
    cancel();
    clearTimeout(early);
    req.socket.off("close", cancel);
  }
}

async function pump(
  req: IncomingMessage,
  res: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  start: () => void,
): Promise<void> {
  for await (const chunk of chunks) {
    if (req.socket.destroyed) return;
    start();
    if (!res.write(chunk)) await drained(req, res);
  }
  if (req.socket.destroyed) return;
  start();
  res.end();
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

/** Resolves when the response takes more, or never will. */
function drained(req: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off("drain", done);
      req.socket.off("close", done);
      resolve();
    };
    res.on("drain", done);
    req.socket.on("close", done);
  });
}

function ignore(): void {}
