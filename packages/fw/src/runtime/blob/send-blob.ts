import type { Blob } from "../../declare/blob.ts";
import { cacheControl } from "../response/cache-control.ts";
import { dispositionOf } from "./disposition.ts";
import { type Asking, type ByteRange, type Contents, sendRepresentation } from "./response.ts";

export interface SendBlobOptions {
  /** The route's MaxAge in seconds; 0 for none. */
  readonly maxAge: number;
  /** The request headers that the answer depends on. */
  readonly vary?: string | undefined;
  /** In place of 200; a part is answered with 206 all the same only where it is none. */
  readonly status?: number | undefined;
}

/** Sends a blob, as `sendRepresentation` does. Rejects with the reader's error, too. */
export async function sendBlob(request: Asking, blob: Blob, { maxAge, vary, status }: SendBlobOptions): Promise<void> {
  let isRead = false;
  try {
    const { type, size, etag } = blob;
    const disposition = dispositionOf(blob);
    const of = { type, size, etag, disposition, cacheControl: cacheControl(maxAge), vary, status };
    await sendRepresentation(request, of, (range) => {
      isRead = true;
      return contentsOf(blob, range);
    });
  } finally {
    if (!isRead) closeReader(blob);
  }
}

/** A handler may have opened what its blob reads from: it is let go without being read. */
export function closeReader(blob: Blob): void {
  try {
    blob.stream().cancel().catch(ignore);
  } catch {
    // A reader that cannot be closed has nothing to say about the answer.
  }
}

function ignore(): void {}

function contentsOf(blob: Blob, range: ByteRange | undefined): Contents {
  if (range === undefined) return { stream: blob.stream(), part: { skip: 0, length: blob.size, exact: true } };
  const length = range.end - range.start;
  return isSliceable(blob)
    ? { stream: blob.slice(range.start, range.end).stream(), part: { skip: 0, length, exact: true } }
    : { stream: blob.stream(), part: { skip: range.start, length, exact: false } };
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
