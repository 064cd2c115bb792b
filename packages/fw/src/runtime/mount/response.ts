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

/** What is used of a Response, whoever has made its class. */
interface Answer {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]> & {
    getSetCookie?(): string[];
    get?(name: string): string | null;
  };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Headers that frame the answer or are on every one of the framework's. */
const own: ReadonlySet<string> = new Set([
  "content-length",
  "transfer-encoding",
  "date",
  "set-cookie",
  "x-content-type-options",
  "x-request-id",
]);

/** Sends what something mounted answered, at the pace of the client. */
export function sendResponse(request: Request, endpoint: BundledEndpoint, result: unknown): void {
  if (!isAnswer(result)) throw new Fault(`${endpoint.route} must return a Response, not ${typeof result}`);
  const { status, body } = result;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Fault(`${endpoint.route} answered with the status ${status}, which no answer has`);
  const headers = headersOf(request, endpoint, result);
  const cookies = cookiesOf(endpoint, result);
  if (cookies.length > 0) (request.cookies ??= []).push(...cookies);
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

function isAnswer(value: unknown): value is Answer {
  if (typeof value !== "object" || value === null) return false;
  const { status, headers, body } = value as Partial<Answer>;
  return typeof status === "number" && typeof headers === "object" && (body === null || typeof body === "object");
}

/** What the answer says of itself; what frames it and whose pages may read it is the framework's to say. */
function headersOf(request: Request, endpoint: BundledEndpoint, { headers }: Answer): RawHeaders {
  const decidesOrigins = originsOf(request.app, endpoint) !== undefined;
  const isPersonal = request.bringsSession || endpoint.signIn;
  const sent: RawHeaders = [];
  let cacheControl: string | undefined;
  const said = endToEnd([...headers].flat());
  for (let i = 0; i < said.length; i += 2) {
    const [name = "", value = ""] = [said[i], said[i + 1]];
    const key = name.toLowerCase();
    if (own.has(key) || key.startsWith("x-fw-")) continue;
    if (decidesOrigins && key.startsWith("access-control-")) continue;
    if (key === "cache-control") cacheControl = value;
    else sent.push(name, value);
  }
  const isKept = cacheControl === undefined || !/\b(?:private|no-store|no-cache)\b/i.test(cacheControl);
  const control = isPersonal && isKept ? "no-store" : (cacheControl ?? "no-cache");
  sent.push("Cache-Control", control);
  return sent;
}

/** Its cookies. Throws a Fault for one that is the framework's. */
function cookiesOf({ route }: BundledEndpoint, { headers }: Answer): readonly string[] {
  const cookies = headers.getSetCookie?.() ?? [];
  const taken = cookies.find((cookie) => /^\s*(?:__host-|__secure-)?fw_/i.test(cookie));
  if (taken !== undefined) throw new Fault(`${route} set a cookie that is fw's own: ${taken.split("=")[0]?.trim()}`);
  return cookies;
}
