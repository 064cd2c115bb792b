import { gunzipSync } from "node:zlib";
import { Reply } from "../api.ts";
import { etagOf, type StoredObject } from "./buckets.ts";

interface ContentRequest {
  readonly range: string | undefined;
  readonly acceptEncoding: string | undefined;
  /** The API that determines the format of the etag. */
  readonly etag: "json" | "xml";
  readonly headOnly?: boolean;
}

/** Returns the response with the content of an object, or a range of it. */
export function contentReply(object: StoredObject, request: ContentRequest): Reply {
  const { metadata } = object;
  // Decompresses gzipped objects for clients that do not accept gzip.
  const expand = metadata.contentEncoding === "gzip" && !/\bgzip\b/.test(request.acceptEncoding ?? "");
  const content = expand ? gunzipSync(object.content) : object.content;
  const headers: Record<string, string> = {
    "content-type": metadata.contentType ?? "application/octet-stream",
    "accept-ranges": "bytes",
    "last-modified": new Date(object.created).toUTCString(),
    etag: request.etag === "json" ? etagOf(object) : `"${object.md5.toString("hex")}"`,
    "x-goog-generation": String(object.generation),
    "x-goog-metageneration": String(object.metageneration),
    "x-goog-hash": `crc32c=${object.crc32c},md5=${object.md5.toString("base64")}`,
    "x-goog-stored-content-length": String(object.content.length),
    "x-goog-stored-content-encoding": metadata.contentEncoding ?? "identity",
    "x-goog-storage-class": "STANDARD",
    ...(metadata.contentEncoding !== undefined && !expand && { "content-encoding": metadata.contentEncoding }),
    ...(metadata.cacheControl !== undefined && { "cache-control": metadata.cacheControl }),
    ...(metadata.contentDisposition !== undefined && { "content-disposition": metadata.contentDisposition }),
  };
  const byteRange = /^bytes=(\d*)-(\d*)$/.exec(request.range ?? "");
  if (!byteRange || (byteRange[1] === "" && byteRange[2] === "") || expand) {
    const body = request.headOnly ? "" : content;
    return new Reply(200, { ...headers, "content-length": String(content.length) }, body);
  }
  const [, first = "", last = ""] = byteRange;
  const from = first === "" ? Math.max(0, content.length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? content.length - 1 : Math.min(Number(last), content.length - 1);
  if (from >= content.length || from > to) {
    return new Reply(
      416,
      { "content-range": `bytes */${content.length}`, "content-type": "text/html; charset=UTF-8" },
      "The requested range cannot be satisfied.",
    );
  }
  const bytes = content.subarray(from, to + 1);
  const range = { "content-range": `bytes ${from}-${to}/${content.length}`, "content-length": String(bytes.length) };
  return new Reply(206, { ...headers, ...range }, request.headOnly ? "" : bytes);
}
