import { StatusError } from "../../declare/errors.ts";
import { jsonBytes } from "../../lib/limits.ts";
import { tooLarge } from "../body/body.ts";
import { streamOf } from "../body/stream.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { endToEnd } from "../exchange/end-to-end.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { messages } from "../error-messages.ts";
import type { Request as FwRequest } from "../request.ts";

/**
 * Converts a request to a fetch Request for a mounted library. Throws a 405 for a method that fetch refuses. Throws a
 * BadInput for a URL that parsing changes, such as a path with `..`, because the gates have checked the original. A
 * body above the endpoint's limit causes a 413: thrown for an announced size, otherwise as an error of the stream.
 */
export function webRequest(request: FwRequest, endpoint: BundledEndpoint): Request {
  const { exchange, path, query } = request;
  const { method } = exchange;
  if (/^(?:TRACE|TRACK|CONNECT)$/.test(method)) throw new StatusError(405, messages.methodNotAllowed);
  const url = urlOf(request.ctx.origin, path, query);
  const init = { method, headers: headersOf(request), signal: request.signal };
  const limit = endpoint.maxBody ?? jsonBytes;
  const announced = announcedBytes(exchange);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  if (method === "GET" || method === "HEAD" || announced === 0) return new Request(url, init);
  if (exchange.waitsToSend) exchange.ask();
  const body = streamOf(exchange).pipeThrough(limitBytes(limit));
  return new Request(url, { ...init, body, duplex: "half" });
}

function urlOf(origin: string, path: string, query: string): URL {
  const base = origin === "" ? "http://localhost" : origin;
  const text = `${base}${path}${query === "" ? "" : `?${query}`}`;
  if (!URL.canParse(text)) throw new BadInput(messages.badRequest);
  const url = new URL(text);
  if (url.pathname !== path) throw new BadInput(messages.badRequest);
  return url;
}

/** Transport headers that do not apply to a stream. */
const transportHeaders: ReadonlySet<string> = new Set(["transfer-encoding", "expect"]);

/**
 * Returns the client's headers, without hop-by-hop and transport headers and without the framework's own: its cookies,
 * access tokens and `X-Fw-` headers.
 */
function headersOf(request: FwRequest): Headers {
  const headerPairs = endToEnd(request.exchange.rawHeaders);
  const isOwn = request.caller !== undefined || request.claim?.by === "token";
  const headers = new Headers();
  for (let i = 0; i < headerPairs.length; i += 2) {
    const name = (headerPairs[i] ?? "").toLowerCase();
    if (transportHeaders.has(name) || name.startsWith("x-fw-")) continue;
    if (name === "authorization" && isOwn) continue;
    const value = name === "cookie" ? withoutOwnCookies(headerPairs[i + 1] ?? "") : (headerPairs[i + 1] ?? "");
    if (name === "cookie" && value === "") continue;
    headers.append(name, value);
  }
  return headers;
}

function withoutOwnCookies(header: string): string {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.filter((pair) => pair !== "" && !/^(?:__host-|__secure-)?fw_/i.test(pair)).join("; ");
}

/** Creates a stream that passes bytes through and fails if they exceed the limit. */
function limitBytes(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > limit) controller.error(tooLarge(limit));
      else controller.enqueue(chunk);
    },
  });
}
