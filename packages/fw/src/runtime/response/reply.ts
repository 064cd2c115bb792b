import { lingerBytes, lingerMs, unreadBytes } from "../../lib/limits.ts";
import { announcedBytes } from "../body/body.ts";
import type { Request } from "../request.ts";

/** Names and values in turn; a header that is sent several times has a list. */
export type RawHeaders = (string | number | readonly string[])[];

/** The content type of pages. */
export const htmlType = "text/html; charset=utf-8";

/** A browser takes an answer for what its type says, and nothing else. */
const nosniff = ["X-Content-Type-Options", "nosniff"] as const;

/** Sends a whole response whose body is text. */
export function sendText(request: Request, status: number, type: string, headers: RawHeaders, body: string): void {
  const length = Buffer.byteLength(body);
  headers.push("Content-Type", type, "Content-Length", length);
  // A document says so itself, and a fragment has none of its headers.
  if (type !== htmlType) headers.push(...nosniff);
  // ASCII text has as many bytes as characters, and needs no conversion on its way out.
  send(request, status, headers, body, length === body.length ? "latin1" : "utf8");
}

/** Sends a response without a body. */
export function sendEmpty(request: Request, status: number, headers: RawHeaders): void {
  if (status !== 204) headers.push("Content-Length", "0");
  headers.push(...nosniff);
  send(request, status, headers, "", "latin1");
}

/** Adds what every response carries to one that is sent elsewhere, such as a stream. */
export function prepareStream(request: Request): void {
  request.res.setHeader("X-Request-Id", request.requestId);
  request.res.setHeader(...nosniff);
  if (request.cookies !== undefined) request.res.setHeader("Set-Cookie", request.cookies);
  if (hasUnreadBody(request)) request.res.setHeader("Connection", "close");
}

type TextEncoding = "latin1" | "utf8";

function send(request: Request, status: number, headers: RawHeaders, body: string, encoding: TextEncoding): void {
  const { res } = request;
  headers.push("X-Request-Id", request.requestId);
  if (request.cookies !== undefined) headers.push("Set-Cookie", request.cookies);
  if (hasUnreadBody(request)) return sendAndLinger(request, status, headers, body, encoding);
  res.writeHead(status, headers as string[]);
  res.end(body, encoding);
  request.finish();
}

/** True when more of the body is still to come than is worth reading for the sake of the connection. */
function hasUnreadBody(request: Request): boolean {
  const { req } = request;
  if (req.complete || request.connection.refused) return false;
  const announced = announcedBytes(request);
  if (announced === 0) return false;
  return announced === undefined || announced > unreadBytes || (request.expectsContinue && !request.asked);
}

/**
 * Answers a client that may still be sending, and closes. Closing at once would reset the connection before the client
 * had read the answer; so it gets a moment, in which a little of what it sends is taken and the rest left to wait.
 */
function sendAndLinger(
  request: Request,
  status: number,
  headers: RawHeaders,
  body: string,
  encoding: TextEncoding,
): void {
  const { req, res } = request;
  headers.push("Connection", "close");
  res.writeHead(status, headers as string[]);
  if (body === "" || req.method === "HEAD") res.flushHeaders();
  else res.write(body, encoding);
  const close = (): void => {
    clearTimeout(timer);
    res.end();
    request.finish();
  };
  const timer = setTimeout(close, lingerMs);
  req.once("close", close);
  discardSome(request);
}

function discardSome({ req }: Request): void {
  let bytes = 0;
  req.removeAllListeners("data");
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > lingerBytes) req.pause();
  });
  req.on("error", () => {});
  req.resume();
}
