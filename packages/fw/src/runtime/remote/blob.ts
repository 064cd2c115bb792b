import type { IncomingMessage } from "node:http";
import type { Blob } from "../../declare/blob.ts";
import { pulled } from "../../lib/pulled.ts";
import { readDisposition } from "../blob/disposition.ts";
import type { CallBounds } from "./bounds.ts";

/** Returns the body of an answer as a Blob that can be read once, at the pace of its reader. */
export function blobOfAnswer(res: IncomingMessage, bounds: CallBounds): Blob {
  const { "content-type": type = "", "content-length": length, etag } = res.headers;
  bounds.markAnswered();
  bounds.onEnd((error) => res.destroy(error));
  res.once("close", () => bounds.close());
  // The reader gets the error of a truncated answer; there may be no reader.
  res.on("error", () => {});
  let isRead = false;
  return {
    type,
    ...(length !== undefined && { size: Number(length) }),
    ...(etag !== undefined && { etag: etag.replace(/^"(.*)"$/, "$1") }),
    ...readDisposition(res.headers["content-disposition"]),
    stream() {
      if (isRead) throw new Error("a Blob of another service can be read only once: keep its bytes to read it again");
      isRead = true;
      return streamOf(res, bounds);
    },
  };
}

function streamOf(res: IncomingMessage, bounds: CallBounds): ReadableStream<Uint8Array> {
  const chunks = res.iterator() as AsyncIterator<Uint8Array>;
  const next = async (): Promise<IteratorResult<Uint8Array, unknown>> => {
    bounds.progress();
    const chunk = await chunks.next();
    bounds.progress();
    return chunk;
  };
  return pulled({ next }, { cancel: () => res.destroy() });
}
