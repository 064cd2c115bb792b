import { StatusError } from "../../declare/errors.ts";
import { jsonBytes } from "../../lib/limits.ts";
import { tooLarge } from "../body/body.ts";
import { streamOf } from "../body/stream.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import { endToEnd } from "../exchange/end-to-end.ts";
import { announcedBytes } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import type { Request as FwRequest } from "../request.ts";

/**
 * A request as whatever speaks fetch has it. Throws a BadInput for a URL that would be another once it is read, such as one with `..` in
 * its path: the gates in front have seen what was written. Throws a StatusError for a body that is larger than the endpoint takes.
 */
export function webRequest(request: FwRequest, endpoint: BundledEndpoint): Request {
  const { exchange, path, query } = request;
  const { method } = exchange;
  if (/^(?:TRACE|TRACK|CONNECT)$/.test(method)) throw new StatusError(405, messages.methodNotAllowed);
  const url = urlOf(request.ctx.origin, path, query);
  const init = { method, headers: headersOf(request), signal: request.signal };
  const most = endpoint.maxBody ?? jsonBytes;
  const announced = announcedBytes(exchange);
  if (announced !== undefined && announced > most) throw tooLarge(most);
  if (method === "GET" || method === "HEAD" || announced === 0) return new Request(url, init);
  if (exchange.waitsToSend) exchange.ask();
  const body = streamOf(exchange).pipeThrough(bounded(most));
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

/** How the body came is over once it is a stream. */
const notHandedOn: ReadonlySet<string> = new Set(["transfer-encoding", "expect"]);

/** What the visitor said, without what is between two hops and what is the framework's: its session, its tokens, its own headers. */
function headersOf(request: FwRequest): Headers {
  const sent = endToEnd(request.exchange.rawHeaders);
  const isOwn = request.caller !== undefined || request.claim?.by === "token";
  const headers = new Headers();
  for (let i = 0; i < sent.length; i += 2) {
    const name = (sent[i] ?? "").toLowerCase();
    if (notHandedOn.has(name) || name.startsWith("x-fw-")) continue;
    if (name === "authorization" && isOwn) continue;
    const value = name === "cookie" ? withoutOwnCookies(sent[i + 1] ?? "") : (sent[i + 1] ?? "");
    if (name === "cookie" && value === "") continue;
    headers.append(name, value);
  }
  return headers;
}

function withoutOwnCookies(header: string): string {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.filter((pair) => pair !== "" && !/^(?:__host-|__secure-)?fw_/i.test(pair)).join("; ");
}

/** Fails where more comes than a body may have. */
function bounded(most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > most) controller.error(tooLarge(most));
      else controller.enqueue(chunk);
    },
  });
}
