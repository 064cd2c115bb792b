import type { Outgoing, RawHeaders } from "../exchange/exchange.ts";
import type { ResponseDraft } from "../response-draft.ts";

/** The parts of a request that are needed to send its response. */
export interface Replying {
  readonly exchange: Outgoing;
  readonly requestId: string;
  /** The parts of the response collected before it is sent. */
  readonly collected: Pick<ResponseDraft, "cookies" | "headers"> | undefined;
  /** Returns additional headers for the requester, given the response's other headers. */
  headersForAsker?(headers: Readonly<RawHeaders>): RawHeaders;
  finish(): void;
}

export const htmlType = "text/html; charset=utf-8";

/** Sends a complete response whose body is text. */
export function sendText(request: Replying, status: number, type: string, headers: RawHeaders, body: string): void {
  const length = Buffer.byteLength(body);
  headers.push("Content-Type", type, "Content-Length", length);
  // A document already has `nosniff`, and a fragment does not need it.
  complete(request, headers, type !== htmlType);
  // Text with as many bytes as characters is ASCII, which Latin-1 encodes without conversion.
  request.exchange.send(status, headers, body, length === body.length ? "latin1" : "utf8");
  request.finish();
}

/** Sends a response without a body. */
export function sendEmpty(request: Replying, status: number, headers: RawHeaders): void {
  if (status !== 204 && status !== 304) headers.push("Content-Length", "0");
  sendBytes(request, status, headers, "");
  request.finish();
}

/**
 * Sends a complete response, but does not finish the request. `headers` must include the type and length of the body.
 */
export function sendBytes(request: Replying, status: number, headers: RawHeaders, body: Uint8Array | ""): void {
  complete(request, headers, true);
  request.exchange.send(status, headers, body);
}

/** Starts a response whose body is then written to `request.exchange`. */
export function beginStream(request: Replying, status: number, headers: RawHeaders): void {
  complete(request, headers, true);
  request.exchange.begin(status, headers);
}

/**
 * Adds the headers of every response and those collected for this one. `nosniff` keeps browsers from guessing another
 * content type.
 */
function complete(request: Replying, headers: RawHeaders, nosniff: boolean): void {
  const { requestId, collected } = request;
  if (nosniff) headers.push("X-Content-Type-Options", "nosniff");
  headers.push("X-Request-Id", requestId);
  if (collected !== undefined) {
    if (collected.cookies.length > 0) headers.push("Set-Cookie", collected.cookies);
    headers.push(...collected.headers);
  }
  const said = request.headersForAsker?.(headers);
  if (said !== undefined && said.length > 0) headers.push(...said);
}
