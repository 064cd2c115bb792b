import type { Exchange, RawHeaders } from "../exchange/exchange.ts";
import { beginStream, type Replying, sendBytes } from "../response/send.ts";
import { sendStream, type StreamRange } from "./send-stream.ts";

/** Bytes from `start` up to but excluding `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The metadata of bytes to send: their status and headers. */
export interface Representation {
  readonly type: string;
  /** The number of bytes; undefined if unknown. */
  readonly size?: number | undefined;
  /** A strong validator, without quotes. */
  readonly etag?: string | undefined;
  readonly cacheControl: string;
  readonly vary?: string | undefined;
  /** The Content-Disposition of a download or a named file. */
  readonly disposition?: string | undefined;
  /** The response status, instead of 200. */
  readonly status?: number | undefined;
  /** The Content-Encoding; "identity" for none. */
  readonly encoding?: string;
}

interface RepresentationAnswer {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly range?: ByteRange;
}

/** The body of a response: bytes or a stream. */
export type Contents = Uint8Array | { readonly stream: ReadableStream<Uint8Array>; readonly part: StreamRange };

/** A request whose preconditions and Range header determine its response. */
export type RepresentationRequest = Replying & { readonly exchange: Pick<Exchange, "method" | "header"> };

/**
 * Responds with a representation: its own status, 206, 304 or 416, without a body for HEAD. Calls `contents` only if
 * there is a body to send, with the range for a 206. Resolves when the socket has accepted all bytes or the client has
 * disconnected. If it rejects after the headers were sent, the caller must cut the connection.
 */
export async function sendRepresentation(
  request: RepresentationRequest,
  of: Representation,
  contents: (range: ByteRange | undefined) => Promise<Contents> | Contents,
): Promise<void> {
  const { exchange } = request;
  const { status, headers, range } = answerFor(exchange, of);
  if (exchange.method === "HEAD" || status === 304 || status === 416) return sendBytes(request, status, headers, "");
  const body = await contents(range);
  if (body instanceof Uint8Array) return sendBytes(request, status, headers, body);
  await sendStream(exchange, body.stream, body.part, () => beginStream(request, status, headers));
}

/**
 * Chooses between the representation's own status, 206, 304 and 416 according to the request's preconditions and Range
 * header. Throws a TypeError for an invalid type, size or etag.
 */
function answerFor(request: Pick<Exchange, "method" | "header">, of: Representation): RepresentationAnswer {
  const common = commonHeaders(of);
  const ifNoneMatch = request.header("if-none-match");
  const safe = request.method === "GET" || request.method === "HEAD";
  if (safe && ifNoneMatch !== undefined && of.etag && matchesETag(ifNoneMatch, of.etag))
    return { status: 304, headers: common };
  const headers = [...common, "Content-Type", contentType(of.type)];
  if (of.disposition !== undefined) headers.push("Content-Disposition", of.disposition);
  const { status = 200, encoding = "identity" } = of;
  if (encoding !== "identity") headers.push("Content-Encoding", encoding);
  if (of.size === undefined) return { status, headers };
  const range = status === 200 ? requestedRange(request, of.etag, of.size) : undefined;
  if (range === "unsatisfiable") return unsatisfiableAnswer(common, of.size);
  return range === undefined ? fullAnswer(status, headers, of.size) : rangeAnswer(headers, of.size, range);
}

function requestedRange(
  request: Pick<Exchange, "method" | "header">,
  etag: string | undefined,
  size: number,
): ReturnType<typeof parseRange> {
  const range = request.header("range");
  if (range === undefined || request.method !== "GET" || !allowsRange(request.header("if-range"), etag))
    return undefined;
  return parseRange(range, size);
}

function commonHeaders({ etag, cacheControl, vary }: Representation): RawHeaders {
  const headers: RawHeaders = ["Cache-Control", cacheControl];
  if (etag) headers.push("ETag", quoteETag(etag));
  if (vary !== undefined) headers.push("Vary", vary);
  return headers;
}

function fullAnswer(status: number, headers: RawHeaders, size: number): RepresentationAnswer {
  return { status, headers: [...headers, "Accept-Ranges", "bytes", "Content-Length", contentLength(size)] };
}

function rangeAnswer(headers: RawHeaders, size: number, range: ByteRange): RepresentationAnswer {
  const { start, end } = range;
  const bounds = ["Content-Range", `bytes ${start}-${end - 1}/${size}`, "Content-Length", contentLength(end - start)];
  return { status: 206, headers: [...headers, "Accept-Ranges", "bytes", ...bounds], range };
}

function unsatisfiableAnswer(headers: RawHeaders, size: number): RepresentationAnswer {
  return { status: 416, headers: [...headers, "Content-Range", `bytes */${size}`, "Content-Length", "0"] };
}

function contentType(type: string): string {
  if (type === "") return "application/octet-stream";
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(type)) return type;
  throw new TypeError(
    `a blob's type must be printable ASCII or Latin-1 to be sent in a header, not ${JSON.stringify(type)}`,
  );
}

function contentLength(size: number): string {
  if (Number.isSafeInteger(size) && size >= 0) return String(size);
  throw new TypeError(`a blob's size must be a whole number of bytes, not ${size}`);
}

/**
 * Parses a Range header. Returns undefined if the header must be ignored because it is malformed, uses another unit or
 * has several ranges, or because `size` is 0.
 */
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

/** Quotes a validator for a header. Throws a TypeError if it contains characters that are invalid in a header. */
export function quoteETag(etag: string): string {
  if (legalETag.test(etag)) return `"${etag}"`;
  throw new TypeError(
    `an etag must be printable ASCII without quotes or spaces (fw adds the quotes), not ${JSON.stringify(etag)}`,
  );
}

/** True if an If-None-Match header names this validator, or is `*`. Compares weakly (RFC 9110). */
function matchesETag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  nextETag.lastIndex = 0;
  for (let tag = nextETag.exec(ifNoneMatch); tag !== null; tag = nextETag.exec(ifNoneMatch)) {
    if (tag[1] === etag) return true;
  }
  return false;
}

/** True if there is no If-Range header, or it names this representation. Dates never match, because fw sends none. */
function allowsRange(ifRange: string | undefined, etag: string | undefined): boolean {
  return ifRange === undefined || (etag !== undefined && ifRange.trim() === `"${etag}"`);
}
