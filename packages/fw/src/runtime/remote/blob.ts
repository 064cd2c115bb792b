import type { IncomingMessage } from "node:http";
import type { Blob } from "../../declare/blob.ts";
import { pulled } from "../../lib/pulled.ts";
import { readDisposition } from "../blob/disposition.ts";
import type { CallBounds } from "./bounds.ts";

/** The body of an answer as a Blob that can be read once, at the pace of its reader. */
export function answeredBlob(res: IncomingMessage, bounds: CallBounds): Blob {
  const { "content-type": type = "", "content-length": length, etag } = res.headers;
  bounds.answered();
  bounds.onEnd((error) => res.destroy(error));
  res.once("close", () => bounds.close());
  // An answer that is cut off is told to its reader; there may be none.
  res.on("error", () => {});
  let taken = false;
  return {
    type,
    ...(length !== undefined && { size: Number(length) }),
    ...(etag !== undefined && { etag: etag.replace(/^"(.*)"$/, "$1") }),
    ...readDisposition(res.headers["content-disposition"]),
    stream() {
      if (taken) throw new Error("a Blob of another service can be read once");
      taken = true;
      return streamOf(res, bounds);
    },
  };
}

function streamOf(res: IncomingMessage, bounds: CallBounds): ReadableStream<Uint8Array> {
  const chunks = res.iterator() as AsyncIterator<Uint8Array>;
  const next = async (): Promise<IteratorResult<Uint8Array, unknown>> => {
    bounds.moved();
    const chunk = await chunks.next();
    bounds.moved();
    return chunk;
  };
  return pulled({ next }, { cancel: () => res.destroy() });
}
