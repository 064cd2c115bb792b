import type { Exchange, RawHeaders } from "../exchange/exchange.ts";
import { beginStream, type Replying, sendBytes } from "../response/send.ts";
import { sendStream, type StreamPart } from "./send-stream.ts";

/** Bytes `start` up to and without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

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
  /** What the bytes are compressed by; "identity" for nothing. */
  readonly encoding?: string;
}

/** How a request for a representation is answered. */
interface Answer {
  readonly status: number;
  readonly headers: RawHeaders;
  /** The part to send, with 206. */
  readonly range?: ByteRange;
}

/** What is sent of a representation: all at once, or as a stream. */
export type Contents = Uint8Array | { readonly stream: ReadableStream<Uint8Array>; readonly part: StreamPart };

/** A request that is answered by what it asks for. */
export type Asking = Replying & { readonly exchange: Pick<Exchange, "method" | "header"> };

/**
 * Sends of a representation what a request asks for: 200, 206, 304 or 416, without a body for HEAD. `contents` are asked for where they
 * are sent, a part of them with 206. Resolves when all is handed to the socket or the client has gone; where it rejects, the response is
 * untouched, or its headers have been sent and the caller cuts the connection.
 */
export async function sendRepresentation(
  request: Asking,
  of: Representation,
  contents: (range: ByteRange | undefined) => Promise<Contents> | Contents,
): Promise<void> {
  const { exchange } = request;
  const { status, headers, range } = answerFor(exchange, of);
  if (exchange.method === "HEAD" || status === 304 || status === 416) return sendBytes(request, status, headers, "");
  const sent = await contents(range);
  if (sent instanceof Uint8Array) return sendBytes(request, status, headers, sent);
  await sendStream(exchange, sent.stream, sent.part, () => beginStream(request, status, headers));
}

/** Chooses between 200, 206, 304 and 416 by the request's preconditions. Throws a TypeError on an illegal type, size or etag. */
function answerFor(request: Pick<Exchange, "method" | "header">, of: Representation): Answer {
  const common = commonHeaders(of);
  const { method } = request;
  const ifNoneMatch = request.header("if-none-match");
  const range = request.header("range");
  const safe = method === "GET" || method === "HEAD";
  if (safe && ifNoneMatch !== undefined && of.etag && matchesETag(ifNoneMatch, of.etag))
    return { status: 304, headers: common };
  const headers = [...common, "Content-Type", contentType(of.type)];
  if (of.disposition !== undefined) headers.push("Content-Disposition", of.disposition);
  const { status = 200, encoding = "identity" } = of;
  if (encoding !== "identity") headers.push("Content-Encoding", encoding);
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

/** What a Range header asks of `size` bytes. Undefined where it is to be ignored: malformed, another unit, or several ranges. */
function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? [];
  if (size === 0 || (first === "" && last === "")) return undefined;
  if (first === "") return suffix(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return undefined;
  return start < size ? { start, end } : "unsatisfiable";
}

function suffix(length: number, size: number): ByteRange | "unsatisfiable" {
  return length === 0 ? "unsatisfiable" : { start: Math.max(0, size - length), end: size };
}

const legalETag = /^[\x21\x23-\x7e\x80-\xff]+$/;
const nextETag = /[\s,]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/y;

/** The header value of a bare validator. Throws a TypeError where it holds what a header cannot. */
export function quoteETag(etag: string): string {
  if (legalETag.test(etag)) return `"${etag}"`;
  throw new TypeError(
    `an etag is printable ASCII without quotes or blanks (fw adds the quotes), not ${JSON.stringify(etag)}`,
  );
}

/** True when an If-None-Match header names this bare validator, or is `*`. Weak comparison, as RFC 9110 has it here. */
function matchesETag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  nextETag.lastIndex = 0;
  for (let tag = nextETag.exec(ifNoneMatch); tag !== null; tag = nextETag.exec(ifNoneMatch)) {
    if (tag[1] === etag) return true;
  }
  return false;
}

/** True when an If-Range header, if there is one, names this very representation. A date never does: fw sends none. */
function allowsRange(ifRange: string | undefined, etag: string | undefined): boolean {
  return ifRange === undefined || (etag !== undefined && ifRange.trim() === `"${etag}"`);
}
