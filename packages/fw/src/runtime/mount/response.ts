import { Fault } from "../../declare/errors.ts";
import { originsOf } from "../access/origins.ts";
import { sendStream } from "../blob/send-stream.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { endToEnd } from "../exchange/end-to-end.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";
import { fail } from "../response/error.ts";
import { beginStream, sendBytes } from "../response/send.ts";
import { takeStreamPlace } from "../response/stream-place.ts";

/** The parts of a Response, of any implementation, that fw uses. */
interface ResponseParts {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]> & {
    getSetCookie?(): string[];
    get?(name: string): string | null;
  };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Headers that frame the response, or that the framework sets on every response. */
const frameworkHeaders: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "date",
  "set-cookie",
  "x-content-type-options",
  "x-request-id",
]);

/** Sends the Response of a mounted library as fast as the client reads it. */
export function sendResponse(request: Request, endpoint: BundledEndpoint, result: unknown): void {
  if (!isAnswer(result)) throw new Fault(`${endpoint.route} must return a Response, not ${typeof result}`);
  const { status, body } = result;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Fault(`${endpoint.route} responded with the invalid status ${status}`);
  const headers = headersOf(request, endpoint, result);
  const cookies = cookiesOf(endpoint, result);
  if (cookies.length > 0) request.draft.cookies.push(...cookies);
  if (body === null || request.exchange.method === "HEAD" || status === 204 || status === 304) {
    void body?.cancel().catch(() => undefined);
    if (status !== 204 && status !== 304 && request.exchange.method !== "HEAD") headers.push("Content-Length", "0");
    sendBytes(request, status, headers, "");
    return request.finish();
  }
  const isEvents = /^text\/event-stream\b/i.test(result.headers.get?.("content-type") ?? "");
  try {
    takeStreamPlace(request, isEvents);
  } catch (error) {
    void body.cancel().catch(() => undefined);
    throw error;
  }
  request.markStarted();
  const begin = (): void => beginStream(request, status, headers);
  sendStream(request.exchange, body, { skip: 0, length: undefined, exact: true }, begin).then(
    () => request.finish(),
    (error: unknown) => fail(request, error),
  );
}

function isAnswer(value: unknown): value is ResponseParts {
  if (typeof value !== "object" || value === null) return false;
  const { status, headers, body } = value as Partial<ResponseParts>;
  return typeof status === "number" && typeof headers === "object" && (body === null || typeof body === "object");
}

/**
 * Returns the response's headers without the framework's own and, if the Service declares origins, without CORS
 * headers. Adds Cache-Control.
 */
function headersOf(request: Request, endpoint: BundledEndpoint, { headers }: ResponseParts): RawHeaders {
  const decidesOrigins = originsOf(request.app, endpoint) !== undefined;
  const isPersonal = request.claim !== undefined || endpoint.signIn;
  const pairs: RawHeaders = [];
  let cacheControl: string | undefined;
  const responsePairs = endToEnd([...headers].flat());
  for (let i = 0; i < responsePairs.length; i += 2) {
    const [name = "", value = ""] = [responsePairs[i], responsePairs[i + 1]];
    const key = name.toLowerCase();
    if (frameworkHeaders.has(key) || key.startsWith("x-fw-")) continue;
    if (decidesOrigins && key.startsWith("access-control-")) continue;
    if (key === "cache-control") cacheControl = value;
    else pairs.push(name, value);
  }
  pairs.push("Cache-Control", cacheControlFor(isPersonal, cacheControl));
  return pairs;
}

function cacheControlFor(isPersonal: boolean, cacheControl: string | undefined): string {
  const isCacheable = cacheControl === undefined || !/\b(?:private|no-store|no-cache)\b/i.test(cacheControl);
  return isPersonal && isCacheable ? "no-store" : (cacheControl ?? "no-cache");
}

/** Returns the response's cookies. Throws a Fault for a cookie whose name belongs to the framework. */
function cookiesOf({ route }: BundledEndpoint, { headers }: ResponseParts): readonly string[] {
  const cookies = headers.getSetCookie?.() ?? [];
  const reserved = cookies.find((cookie) => /^\s*(?:__host-|__secure-)?fw_/i.test(cookie));
  if (reserved !== undefined)
    throw new Fault(`${route} set a cookie that is reserved for fw: ${reserved.split("=")[0]?.trim()}`);
  return cookies;
}
