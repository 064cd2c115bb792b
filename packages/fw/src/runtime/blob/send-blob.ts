import type { Blob } from "../../declare/blob.ts";
import { cacheControl } from "../response/cache-control.ts";
import { dispositionOf } from "./disposition.ts";
import { type RepresentationRequest, type ByteRange, type Contents, sendRepresentation } from "./response.ts";

export interface SendBlobOptions {
  /** The route's `maxAge` in seconds; 0 for none. */
  readonly maxAge: number;
  readonly vary?: string | undefined;
  /** The response status, instead of 200. With any other status, the response ignores Range. */
  readonly status?: number | undefined;
}

/** Sends a blob with `sendRepresentation`. Also rejects with the error of its reader. */
export async function sendBlob(
  request: RepresentationRequest,
  blob: Blob,
  { maxAge, vary, status }: SendBlobOptions,
): Promise<void> {
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

/** Cancels the blob's unread stream, because the handler may have opened a file or a connection for it. */
export function closeReader(blob: Blob): void {
  try {
    blob.stream().cancel().catch(ignore);
  } catch {
    // A failure to close the reader does not affect the response.
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

/** True for any object with the members of a Blob. */
export function isBlob(value: unknown): value is Blob {
  return typeof value === "object" && value !== null && typeof (value as Blob).stream === "function" && "type" in value;
}

/** A blob that can be read from an offset, as the platform's blobs can. */
interface Sliceable extends Blob {
  slice(start: number, end: number): Blob;
}

function isSliceable(blob: Blob): blob is Sliceable {
  return "slice" in blob && typeof blob.slice === "function";
}
