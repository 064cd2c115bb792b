import type { Exchange, RawHeaders } from "../exchange/exchange.ts";
import { allowsRange, matchesETag, quoteETag } from "./conditional.ts";
import { type ByteRange, parseRange } from "./range.ts";

/** Bytes to be sent, as their headers describe them. */
export interface Representation {
  readonly type: string;
  /** Bytes, when known. */
  readonly size?: number | undefined;
  /** Strong validator, bare. */
  readonly etag?: string | undefined;
  readonly cacheControl: string;
  readonly vary?: string | undefined;
  /** Of what is saved under a name. */
  readonly disposition?: string | undefined;
  /** In place of 200. */
  readonly status?: number | undefined;
}

/** How a request for a representation is answered. */
export interface Answer {
  readonly status: number;
  readonly headers: RawHeaders;
  /** The part to send, with 206. */
  readonly range?: ByteRange;
}

/** Chooses between 200, 206, 304 and 416 by the request's preconditions. Throws a TypeError on an illegal type, size or etag. */
export function answerFor(request: Pick<Exchange, "method" | "header">, of: Representation): Answer {
  const common = commonHeaders(of);
  const { method } = request;
  const ifNoneMatch = request.header("if-none-match");
  const range = request.header("range");
  const safe = method === "GET" || method === "HEAD";
  if (safe && ifNoneMatch !== undefined && of.etag && matchesETag(ifNoneMatch, of.etag))
    return { status: 304, headers: common };
  const headers = [...common, "Content-Type", contentType(of.type)];
  if (of.disposition !== undefined) headers.push("Content-Disposition", of.disposition);
  const { status = 200 } = of;
  if (of.size === undefined) return { status, headers };
  const wanted =
    status === 200 && range !== undefined && method === "GET" && allowsRange(request.header("if-range"), of.etag)
      ? parseRange(range, of.size)
      : undefined;
  if (wanted === "unsatisfiable") return unsatisfiable(common, of.size);
  return wanted === undefined ? whole(status, headers, of.size) : partial(headers, of.size, wanted);
}

function commonHeaders({ etag, cacheControl, vary }: Representation): RawHeaders {
  const headers: RawHeaders = ["Cache-Control", cacheControl];
  if (etag) headers.push("ETag", quoteETag(etag));
  if (vary !== undefined) headers.push("Vary", vary);
  return headers;
}

function whole(status: number, headers: RawHeaders, size: number): Answer {
  return { status, headers: [...headers, "Accept-Ranges", "bytes", "Content-Length", contentLength(size)] };
}

function partial(headers: RawHeaders, size: number, range: ByteRange): Answer {
  const { start, end } = range;
  const bounds = ["Content-Range", `bytes ${start}-${end - 1}/${size}`, "Content-Length", contentLength(end - start)];
  return { status: 206, headers: [...headers, "Accept-Ranges", "bytes", ...bounds], range };
}

function unsatisfiable(headers: RawHeaders, size: number): Answer {
  return { status: 416, headers: [...headers, "Content-Range", `bytes */${size}`, "Content-Length", "0"] };
}

function contentType(type: string): string {
  if (type === "") return "application/octet-stream";
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(type)) return type;
  throw new TypeError(`a blob's type must be fit for a header, not ${JSON.stringify(type)}`);
}

function contentLength(size: number): string {
  if (Number.isSafeInteger(size) && size >= 0) return String(size);
  throw new TypeError(`a blob's size is a whole number of bytes, not ${size}`);
}
