import type { Blob } from "../../declare/blob.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { beginStream, type Replying, sendBytes } from "../response/reply.ts";
import { dispositionOf } from "./disposition.ts";
import { type Answer, answerFor } from "./representation.ts";
import { sendStream } from "./send-stream.ts";

/** A request that is answered by what it asks for. */
export type Asking = Replying & { readonly exchange: Pick<Exchange, "method" | "header"> };

export interface SendBlobOptions {
  /** The route's MaxAge in seconds; 0 for none. */
  readonly maxAge: number;
  /** The request headers that the answer depends on. */
  readonly vary?: string | undefined;
  /** In place of 200; a part is answered with 206 all the same only where it is none. */
  readonly status?: number | undefined;
}

/**
 * Sends a blob: 200, 206, 304 or 416, without a body for HEAD. Resolves when all of it is handed to the socket or the
 * client has gone. Rejects with the reader's error: where headers have been sent by then the caller cuts the connection,
 * otherwise the response is untouched and can still become a 500.
 */
export async function sendBlob(request: Asking, blob: Blob, options: SendBlobOptions): Promise<void> {
  const { exchange } = request;
  let answer: Answer;
  try {
    const { type, size, etag } = blob;
    const { maxAge, vary, status } = options;
    const disposition = dispositionOf(blob);
    answer = answerFor(exchange, { type, size, etag, disposition, cacheControl: cacheControl(maxAge), vary, status });
  } catch (error) {
    closeReader(blob);
    throw error;
  }
  if (exchange.method === "HEAD" || answer.status === 304 || answer.status === 416) {
    closeReader(blob);
    return sendBytes(request, answer.status, answer.headers, "");
  }
  await sendBody(request, blob, answer);
}

function cacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}` : "no-cache";
}

/** A handler may have opened what its blob reads from: it is let go without being read. */
function closeReader(blob: Blob): void {
  try {
    blob.stream().cancel().catch(ignore);
  } catch {
    // A reader that cannot be closed has nothing to say about the answer.
  }
}

function ignore(): void {}

function sendBody(request: Replying, blob: Blob, { status, headers, range }: Answer): Promise<void> {
  const { exchange } = request;
  const begin = (): void => beginStream(request, status, headers);
  if (range === undefined)
    return sendStream(exchange, blob.stream(), { skip: 0, length: blob.size, exact: true }, begin);
  const length = range.end - range.start;
  if (isSliceable(blob)) {
    return sendStream(exchange, blob.slice(range.start, range.end).stream(), { skip: 0, length, exact: true }, begin);
  }
  return sendStream(exchange, blob.stream(), { skip: range.start, length, exact: false }, begin);
}

/** True for a Blob, whoever made it. */
export function isBlob(value: unknown): value is Blob {
  return typeof value === "object" && value !== null && typeof (value as Blob).stream === "function" && "type" in value;
}

/** A blob that can be read from the middle, as the platform's own can. */
interface Sliceable extends Blob {
  slice(start: number, end: number): Blob;
}

function isSliceable(blob: Blob): blob is Sliceable {
  return "slice" in blob && typeof blob.slice === "function";
}
