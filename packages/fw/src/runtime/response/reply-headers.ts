import { isToken } from "../../lib/http-token.ts";
import { Fault } from "../../declare/errors.ts";
import { isHTML } from "../../declare/html.ts";
import { isRedirection } from "../../declare/redirect.ts";
import { isReply, type CookieSetting, type Reply } from "../../declare/reply.ts";
import { parseDuration } from "../../lib/duration.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { headerURL } from "../page/redirect.ts";

/** Limit: bytes of a cookie's encoded name and value, as in browsers. */
const cookieBytes = 4096;

type ReplyMetadata = Pick<Reply, "headers" | "cookies">;

/** Headers that belong to the transport or that fw controls, each with an explanation or an alternative. */
const ownHeaders: Readonly<Record<string, string>> = {
  "accept-ranges": "fw sends parts of a blob by itself",
  "alt-svc": "the server decides on it",
  "cache-control": "a route's maxAge decides on it",
  connection: "the server decides on it",
  "content-disposition": "a blob has a name: blob(…, { name, download })",
  "content-encoding": "the server decides on it",
  "content-length": "the body decides on it",
  "content-range": "fw sends parts of a blob by itself",
  "content-security-policy-report-only": "fw sends its own; Content-Security-Policy is yours",
  date: "the server decides on it",
  "keep-alive": "the server decides on it",
  "proxy-connection": "the server decides on it",
  "set-cookie": "a reply has cookies: reply(body, { cookies })",
  "set-cookie2": "a reply has cookies: reply(body, { cookies })",
  te: "the server decides on it",
  trailer: "the server decides on it",
  "transfer-encoding": "the server decides on it",
  upgrade: "the server decides on it",
  vary: "the headers and cookies that a request binds decide on it",
  "x-content-type-options": "it is nosniff on every answer",
  "x-request-id": "it is ctx.requestId on every answer",
};

/** Headers with a URL that htmx or the browser follows. */
const urls = /^(?:location|content-location|hx-(?:redirect|push-url|replace-url))$/;

/** The headers of a reply, with its content type separate. */
interface ReplyHeaders {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly type: string | undefined;
}

/** Validates the headers of a reply. Throws a Fault for a header that fw controls, or that is invalid. */
export function replyHeaders({ headers }: ReplyMetadata): ReplyHeaders {
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    return [[name, headerValue(name, typeof value === "object" ? value.join(", ") : String(value))]];
  });
  return { headers: sent.filter((each) => !isType(each)), type: sent.find(isType)?.[1] };
}

function isType([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === "content-type";
}

/** Throws a Fault for a reply that is inconsistent with its body or its route. */
export function requireReply({ kind, route, maxAge }: Replied, { body, status, cookies }: Reply): void {
  const fault = (why: string): Fault => new Fault(`the reply of ${route} ${why}`);
  if (isReply(body)) throw fault("has a reply as its body");
  if (kind === "api" && (isHTML(body) || isRedirection(body))) throw fault("has a body that only a Page returns");
  if (status !== undefined && isRedirection(body)) throw fault("has a status, and its redirect another");
  if (status !== undefined && !isStatus(status)) throw fault(`has the status ${String(status)}, which no answer has`);
  if (body !== undefined && bodiless.has(status)) throw fault(`has a body, and the status ${status}, which has none`);
  if (maxAge > 0 && Object.keys(cookies).length > 0)
    throw fault("sets cookies, and the route has a maxAge: what it answers is the same for everybody");
}

type Replied = Pick<BundledEndpoint, "kind" | "route" | "maxAge">;

const bodiless: ReadonlySet<unknown> = new Set([204, 205, 304]);

function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599;
}

function headerValue(name: string, text: string): string {
  const key = name.toLowerCase();
  if (!isToken(name)) throw new Fault(`${JSON.stringify(name)} is no name of a header`);
  const why = ownReason(key, text);
  if (why !== undefined) throw new Fault(`a reply does not set ${name}: ${why}`);
  if (urls.test(key)) return headerURL(text);
  const value = key.startsWith("hx-trigger") ? asciiJSON(text) : text;
  if (/^[\t\x20-\x7e]*$/.test(value)) return value.trim();
  throw new Fault(`the header ${name} holds what no header can: ${JSON.stringify(text)}; encode it`);
}

function ownReason(key: string, text: string): string | undefined {
  if (Object.hasOwn(ownHeaders, key)) return ownHeaders[key];
  if (key.startsWith("x-fw-")) return "such names are fw's own";
  if (key.startsWith("access-control-")) return "the origins of the Service decide on it";
  const isJSON = key === "content-type" && /^application\/(?:[\w.!#$&^-]+\+)?json$/.test(text);
  return key === "content-type" && !isJSON ? "the body decides on it, blob(…, { type }) among them" : undefined;
}

/** Encodes JSON in ASCII with equivalent escapes. */
function asciiJSON(text: string): string {
  return text.replaceAll(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Returns the Set-Cookie headers of a reply. Throws a Fault for a cookie that is not the application's, or that
 * browsers would refuse.
 */
export function replyCookies({ cookies }: ReplyMetadata, secure: boolean): string[] {
  return Object.entries(cookies).flatMap(([name, given]) => {
    if (given === undefined) return [];
    if (given === null) return cookieText(name, { value: "" }, secure, 0);
    const setting = typeof given === "string" ? { value: given } : given;
    return cookieText(name, setting, secure, seconds(name, setting.maxAge));
  });
}

function cookieText(name: string, setting: CookieSetting, secure: boolean, maxAge: number | undefined): string {
  if (!isToken(name)) throw new Fault(`${JSON.stringify(name)} is no name of a cookie`);
  if (/^(?:__host-|__secure-)?fw_/i.test(name)) throw new Fault(`the cookie ${name} is fw's own`);
  const { value, httpOnly = true, sameSite = "lax", path = "/" } = setting;
  if (!/^\/[\x21-\x3a\x3c-\x7e]*$/.test(path))
    throw new Fault(`the path of the cookie ${name} is no path: ${JSON.stringify(path)}`);
  if (/^__host-/i.test(name) && path !== "/") throw new Fault(`the cookie ${name} is for every path: leave path out`);
  const isSecure = (setting.secure ?? secure) || sameSite === "none" || /^__(?:host|secure)-/i.test(name);
  const pair = `${name}=${encodeURIComponent(Buffer.from(value).toString())}`;
  if (pair.length > cookieBytes) throw new Fault(`the cookie ${name} has more than ${cookieBytes} bytes`);
  return [
    pair,
    `Path=${path}`,
    ...(httpOnly ? ["HttpOnly"] : []),
    `SameSite=${sameSites[sameSite]}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
}

const sameSites = { lax: "Lax", strict: "Strict", none: "None" } as const;

function seconds(name: string, maxAge: string | undefined): number | undefined {
  if (maxAge === undefined) return undefined;
  const ms = parseDuration(maxAge);
  if (ms === undefined) throw new Fault(`the maxAge of the cookie ${name} is no duration: ${JSON.stringify(maxAge)}`);
  return Math.floor(ms / 1_000);
}
